/** The name in two parts, for display and for renaming. A name that starts with its only dot has no extension. */
export function splitName(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)]
}

/** The name without its extension. */
export const stemOf = (name: string): string => splitName(name)[0]

/**
 * A long name in two parts, of which the first gives way where there is no room for both: numbers, versions and dates
 * stand at the end. An accent stays with its letter.
 */
export function splitEnd(stem: string): [start: string, end: string] {
  const [, start = stem, end = ''] = /^(.{12,})([^\p{M}\u200d].{7,})$/su.exec(stem) ?? []
  return [start, end]
}
