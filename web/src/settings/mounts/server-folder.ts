/** Folders of the server as the picker walks through them. The top has no path: its entries are whole paths. */

export const childOf = (folder: string, name: string): string =>
  name.startsWith('/') ? name : `${folder === '/' ? '' : folder}/${name}`

interface Step {
  folder: string
  name: string
}

/** The way from the top to a folder: first the allowed folder that it lies in, then each one below. */
export function wayTo(folder: string, allowed: readonly string[]): Step[] {
  if (folder === '') return []
  const isIn = (root: string) => root === '/' || folder === root || folder.startsWith(`${root}/`)
  const root = allowed.filter(isIn).sort((a, b) => b.length - a.length)[0]
  if (root === undefined) return [{ folder, name: folder }]
  const names = folder.slice(root.length).split('/').filter(Boolean)
  const steps = [{ folder: root, name: root }]
  for (const name of names) steps.push({ folder: childOf(steps.at(-1)?.folder ?? '', name), name })
  return steps
}
