import { click, nothing } from '../../workspace/selection.ts'
import { type Picked, picks, workspace } from '../../workspace/workspace.ts'

/**
 * Before a file covers its listing. A selection of several is meant, and found again on return; a single selected file is
 * the one that was opened, and on return the one seen last is.
 */
export function keepSelection(folder: string): void {
  const { view, folder: listed, query, selection } = workspace()
  const picked = picks.get()
  if (view === 'listing' && (listed === folder || query !== null))
    picks.set(selection.names.size > 1 ? { folder: listed, query, selection } : null)
  // Results of a search come from several folders, and return as they were.
  else if (picked !== null && picked.query === null && picked.folder !== folder) picks.set(null)
}

/** The names that are selected in the folder of the file in view. */
export const usePicked = (): ReadonlySet<string> => inFolder(picks.use()).names

const inFolder = (picked: Picked | null) => (picked?.query === null ? picked.selection : nothing)

/** Adds a file to them, or takes it away. Answers how many there are. */
export function togglePicked(folder: string, name: string): number {
  const selection = click(inFolder(picks.get()), [], name, 'toggle')
  picks.set({ folder, query: null, selection })
  return selection.names.size
}
