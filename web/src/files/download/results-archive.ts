import type { Workspace } from '../../workspace/workspace.ts'

/**
 * The folder to pack for results of a search, and their paths in it: those that are chosen, else all. They are never
 * the whole folder. A file of its own, which the page of a link does not load.
 */
export function archiveOfResults({ folder, entries, chosen }: Pick<Workspace, 'folder' | 'entries' | 'chosen'>) {
  const [first, second] = chosen
  if (first !== undefined && second === undefined) return { folder: first.path, names: [] }
  const packed = first === undefined ? entries : chosen
  return { folder, names: packed.map(({ path }) => path.slice(folder === '/' ? 1 : folder.length + 1)) }
}
