const powers: Record<string, number> = { '': 0, B: 0, K: 1, KB: 1, M: 2, MB: 2, G: 3, GB: 3, T: 4, TB: 4 }

/** What stands in for a size that cannot be read. */
export const fallbackChunkSize = 1024 ** 2

/** '10MB' in bytes, counted in steps of 1024; a bare number is bytes. `null` for what is no size. */
export function parseSize(text: string): number | null {
  const [, amount, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? []
  const power = powers[unit.toUpperCase()]
  if (amount === undefined || power === undefined) return null
  const bytes = Math.round(Number(amount) * 1024 ** power)
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : null
}

/** The shortest text that reads as exactly so many bytes: 10MB, 1536KB, 1000B. */
export function writeSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const power = units.findLastIndex((_, index) => bytes > 0 && bytes % 1024 ** index === 0)
  return `${bytes / 1024 ** Math.max(0, power)}${units[Math.max(0, power)]}`
}
