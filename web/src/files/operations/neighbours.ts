import { type Intent, revealWhenListed, type Workspace, workspace } from '../../workspace/workspace.ts'

/** What stands nearest to the entries that go: the one after the last of them, else the one before the first. */
export function neighbourOf<Item extends { path: string }>(
  entries: readonly Item[],
  going: readonly { path: string }[],
): Item | null {
  const paths = new Set(going.map(({ path }) => path))
  const isGoing = ({ path }: Item) => paths.has(path)
  const first = entries.findIndex(isGoing)
  if (first === -1) return null
  return entries[entries.findLastIndex(isGoing) + 1] ?? entries[first - 1] ?? null
}

/** What leaves the folder in view may have had the focus, or its buttons had: the keyboard goes on beside it. */
export function revealBeside(folder: string, gone: readonly { path: string }[], by: Intent['by']): void {
  const { view, folder: shown, entries } = workspace()
  if (view !== 'listing' || shown !== folder) return
  const next = neighbourOf(entries, gone)
  if (next !== null) revealWhenListed(folder, next.name, { focus: 'replace', by })
}

/** What arrives in the folder in view is selected there, unless something else was selected since the work began. */
export function revealArrived(folder: string, names: readonly string[], begun: Workspace, work: Intent['by']): void {
  const { view, folder: shown, selection } = workspace()
  const by = selection === begun.selection ? work : 'background'
  if (view === 'listing' && shown === folder) revealWhenListed(folder, names, { by })
}
