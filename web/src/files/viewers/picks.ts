import { join } from '@filestead/contract'
import { useMemo } from 'react'
import { click, nothing } from '../../workspace/selection.ts'
import { type Picked, picks, workspace } from '../../workspace/workspace.ts'

/** A listing in which a file is picked: a folder, or the results of a search below it. */
type Listing = Pick<Picked, 'folder' | 'query'>

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

/** The paths that are selected in the listing of the file in view. */
export function usePicked({ folder, query }: Listing): ReadonlySet<string> {
  const picked = picks.use()
  return useMemo(() => {
    const { names } = selectedIn({ folder, query }, picked)
    return new Set([...names].map((name) => join(folder, name)))
  }, [folder, query, picked])
}

const selectedIn = ({ folder, query }: Listing, picked: Picked | null) =>
  picked?.folder === folder && picked.query === query ? picked.selection : nothing

/** Adds a file to them, or takes it away. Answers how many there are. */
export function togglePicked({ folder, query }: Listing, path: string): number {
  const selection = click(selectedIn({ folder, query }, picks.get()), [], nameBelow(folder, path), 'toggle')
  picks.set({ folder, query, selection })
  return selection.names.size
}

/** As listings name it: a result of a search by its path below the folder. */
const nameBelow = (folder: string, path: string): string => path.slice(folder === '/' ? 1 : folder.length + 1)
