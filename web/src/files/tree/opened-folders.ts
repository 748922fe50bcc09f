import { sessionStore } from '../../state/session-scope.ts'
import { foldersAbove } from './tree-rows.ts'

/** The folders that are open in the tree of the sidebar. */
export const openedFolders = sessionStore<ReadonlySet<string>>(new Set(['/']))

export function setOpened(path: string, isOpen: boolean): void {
  const opened = new Set(openedFolders.get())
  if (isOpen) opened.add(path)
  else opened.delete(path)
  openedFolders.set(opened)
}

/** Opens all folders above this one, so that the tree shows it. */
export function openWayTo(path: string): void {
  const opened = openedFolders.get()
  const above = foldersAbove(path).filter((folder) => !opened.has(folder))
  if (above.length > 0) openedFolders.set(new Set([...opened, ...above]))
}
