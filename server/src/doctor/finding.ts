/** The result of one check. Only 'bad' keeps the server from working. */
export interface Finding {
  readonly about: string
  readonly state: 'good' | 'note' | 'warning' | 'bad'
  readonly text: string
  /** What to do about it. */
  readonly advice?: string | undefined
}

/** Makes the findings about one subject. */
export const findingsAbout = (about: string) => ({
  good: (text: string): Finding => ({ about, state: 'good', text }),
  note: (text: string, advice?: string): Finding => ({ about, state: 'note', text, advice }),
  warning: (text: string, advice: string): Finding => ({ about, state: 'warning', text, advice }),
  bad: (text: string, advice: string): Finding => ({ about, state: 'bad', text, advice }),
})

/** '1.5 GB'. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB']
  const power = Math.min(Math.floor(Math.log10(Math.max(1, bytes)) / 3), units.length - 1)
  const amount = bytes / 1000 ** power
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`
}
