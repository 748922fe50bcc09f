import type { Entry } from '../api/resources.ts'
import { onSessionEnd, watchedInSession } from '../state/session-scope.ts'
import { keepExisting, nothing, type Selection } from './selection.ts'

/**
 * Where the person is and what they have chosen there. One for the page: toolbar, menus, shortcuts, palette and
 * sidebar all act on it. The screen that shows a folder or a file keeps it up to date.
 */
export interface Place {
  /** What fills the main area. `none` where no files are shown, such as in the settings. */
  readonly view: 'listing' | 'editor' | 'preview' | 'none'
  /** The folder in view, or the one that holds the file in view. */
  readonly folder: string
  /** Everything in the folder, in the order of the screen. Empty unless a listing is shown. */
  readonly entries: readonly Entry[]
  readonly selection: Selection
  /** The chosen entries; in the editor and the preview the file itself. */
  readonly chosen: readonly Entry[]
  readonly isSelectingMany: boolean
}

const nowhere: Place = {
  view: 'none',
  folder: '/',
  entries: [],
  selection: nothing,
  chosen: [],
  isSelectingMany: false,
}

const place = watchedInSession(nowhere)
/**
 * What the keyboard does when a change shows: it goes along where it was among the rows or nowhere, it is taken from
 * wherever it is, or it only stands in for a row that has gone.
 */
export type FocusMove = 'follow' | 'take' | 'replace'

/** Names to choose, or only to go to, as soon as a listing of that folder arrives that holds one of them. */
let wanted: { folder: string; names: readonly string[]; focus: FocusMove } | null = null
/** The first of the names that were found that way, still to be brought into view. */
let arrived: { name: string; focus: FocusMove } | null = null

onSessionEnd(() => {
  wanted = null
  arrived = null
})

export const currentPlace = place.get

export const usePlace = place.use

/** A listing is shown, or shown anew after a change. */
export function enterFolder(folder: string, entries: readonly Entry[]): void {
  const before = place.get()
  const isSame = before.view === 'listing' && before.folder === folder
  let selection = isSame ? keepExisting(before.selection, entries) : nothing
  if (wanted?.folder === folder) {
    const sought = new Set(wanted.names)
    const found = entries.flatMap(({ name }) => (sought.has(name) ? [name] : []))
    const [name] = found
    if (name !== undefined) {
      if (wanted.focus !== 'replace') selection = { names: new Set(found), anchor: name }
      arrived = { name, focus: wanted.focus }
      wanted = null
    }
  }
  publish({ view: 'listing', folder, entries, selection, isSelectingMany: isSame && before.isSelectingMany })
}

/** A file fills the screen. */
export function enterFile(view: 'editor' | 'preview', folder: string, file: Entry): void {
  publish({ view, folder, entries: [], selection: nothing, isSelectingMany: false }, [file])
}

/** No files are shown any more. */
export const leavePlace = (): void => publish(nowhere)

export function select(selection: Selection): void {
  const { view, folder, entries, isSelectingMany, selection: before } = place.get()
  if (selection !== before) publish({ view, folder, entries, selection, isSelectingMany })
}

export const clearSelection = (): void => select(nothing)

export function selectMany(isSelectingMany: boolean): void {
  const { view, folder, entries, selection } = place.get()
  publish({ view, folder, entries, selection, isSelectingMany })
}

/** After a change: choose these names, and bring them into view, once the listing of the folder shows them. */
export function chooseWhenListed(folder: string, names: string | readonly string[]): void {
  wanted = { folder, names: typeof names === 'string' ? [names] : names, focus: 'follow' }
}

/** The same for something that was just made: the keyboard goes on from there. */
export function goToWhenListed(folder: string, name: string): void {
  wanted = { folder, names: [name], focus: 'take' }
}

/** After a deletion: if the row went that the keyboard was on, it goes on from this one, and nothing is chosen by it. */
export function replaceFocusWhenListed(folder: string, name: string): void {
  wanted = { folder, names: [name], focus: 'replace' }
}

/** Coming up from a folder: choose it, unless something else is awaited there. */
export function chooseFolderLeft(folder: string, name: string): void {
  if (wanted?.folder !== folder) wanted = { folder, names: [name], focus: 'follow' }
}

/** Answers once what was awaited and is listed now, for the listing to scroll to. */
export function takeArrived(): { name: string; focus: FocusMove } | null {
  const now = arrived
  arrived = null
  return now
}

/** The chosen entries are looked up when somebody asks: in a large folder most changes of the selection need not know. */
function publish(
  { view, folder, entries, selection, isSelectingMany }: Omit<Place, 'chosen'>,
  chosen?: readonly Entry[],
): void {
  let found = chosen
  place.set({
    view,
    folder,
    entries,
    selection,
    isSelectingMany,
    get chosen() {
      found ??= selection.names.size === 0 ? [] : entries.filter(({ name }) => selection.names.has(name))
      return found
    },
  })
}
