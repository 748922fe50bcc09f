import { type Intent, lookAgain, revealWhenListed, type Workspace, workspace } from '../../workspace/workspace.ts'

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
export function revealBeside(
  folder: string,
  gone: readonly { path: string }[],
  begun: Workspace,
  by: Intent['by'],
): void {
  const { view, folder: shown, entries } = workspace()
  if (view !== 'listing' || shown !== folder) return
  // The listing may know already that they are gone.
  const next = neighbourOf(begun.folder === folder ? begun.entries : entries, gone)
  if (next !== null) replaceFocus(folder, next.name, gone, by)
}

/** The keyboard goes on with this entry, once these are gone: now, where the listing does not show them any more. */
export function replaceFocus(folder: string, name: string, gone: readonly { path: string }[], by: Intent['by']): void {
  revealWhenListed(folder, name, { focus: 'replace', by })
  const paths = new Set(gone.map(({ path }) => path))
  if (!workspace().entries.some(({ path }) => paths.has(path))) lookAgain()
}

/** What arrives in the folder in view is selected there, unless something else was selected since the work began. */
export function revealArrived(folder: string, names: readonly string[], begun: Workspace, work: Intent['by']): void {
  const { view, folder: shown, selection, entries } = workspace()
  const by = selection === begun.selection ? work : 'background'
  if (view !== 'listing' || shown !== folder) return
  revealWhenListed(folder, names, { by })
  // Where some are missing still, the listing changes once more, and finds all of them then.
  const listed = new Set(entries.map(({ name }) => name))
  if (names.every((name) => listed.has(name))) lookAgain()
}
