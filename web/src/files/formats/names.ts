/** The name in two parts, for display and for renaming. A name that starts with its only dot has no extension. */
export function splitName(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)]
}

/** The name without its extension. */
export const stemOf = (name: string): string => splitName(name)[0]
