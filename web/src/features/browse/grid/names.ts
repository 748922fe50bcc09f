/** The name in two parts, so that the extension can stand back. A name that starts with its only dot has none. */
export function splitName(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)]
}

/** Hidden files and left-over copies stand back. */
export const isDimmed = (name: string): boolean => name.startsWith('.') || name.toLowerCase().endsWith('.bak')
