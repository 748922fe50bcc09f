import { nameOf } from '@filestead/contract'
import type { Entry } from '../server/queries/resources.ts'
import { perSession, sessionStore, useScope } from '../state/session-scope.ts'
import { createStore } from '../state/store.ts'
import { keepExisting, nothing, type Selection } from './selection.ts'

/**
 * What is shown and what is selected in it. One for each session: toolbar, menus, shortcuts, palette and sidebar all act
 * on it. The screen that shows a folder or a file keeps it up to date.
 */
export interface Workspace {
  /** What fills the main area. `none` where no files are shown, such as in the settings. */
  readonly view: 'listing' | 'editor' | 'preview' | 'none'
  /** The folder in view, or the one that holds the file in view. */
  readonly folder: string
  /** Everything in the folder, in the order of the screen. Empty unless a listing is shown. */
  readonly entries: readonly Entry[]
  readonly selection: Selection
  /** The selected entries; in the editor and the preview the file itself. */
  readonly chosen: readonly Entry[]
  /** The size of the selected files; folders do not count. */
  readonly chosenBytes: number
  readonly isSelectingMany: boolean
  /**
   * What was searched for, where the listing shows results. Then the name of an entry is its path below the folder;
   * chosen entries have their own names everywhere.
   */
  readonly query: string | null
}

/**
 * What the keyboard does when a change shows: it goes along where it was among the rows or nowhere, it is taken from
 * wherever it is, or it only stands in for a row that has gone, and nothing is selected.
 */
export type FocusMove = 'follow' | 'take' | 'replace'

/** Names to select, and to bring into view, as soon as a listing of that folder shows one of them. */
export interface Intent {
  readonly folder: string
  readonly names: readonly string[]
  readonly focus: FocusMove
  /** What background work has changed is neither selected nor scrolled to while something else is selected. */
  readonly by: 'user' | 'background'
}

const empty: Workspace = {
  view: 'none',
  folder: '/',
  entries: [],
  selection: nothing,
  chosen: [],
  chosenBytes: 0,
  isSelectingMany: false,
  query: null,
}

export interface Picked {
  readonly folder: string
  readonly query: string | null
  readonly selection: Selection
}

/** The selection of a listing that one of its files has covered, to be found again on return; null for none. */
export const picks = sessionStore<Picked | null>(null)

const state = perSession(() => ({
  store: createStore(empty),
  intent: null as Intent | null,
  /** The first name of an intent that was fulfilled, still to be brought into view. */
  revealed: null as { name: string; focus: FocusMove } | null,
}))

/** The workspace of the present session, as it is now. */
export const workspace = (): Workspace => state().store.get()

/** Renders again when what is selected here changes, and for nothing else. */
export function useWorkspace(): Workspace
export function useWorkspace<Selected>(select: (workspace: Workspace) => Selected): Selected
export function useWorkspace(select?: (workspace: Workspace) => unknown): unknown {
  const { store } = state(useScope())
  return store.use(select ?? whole)
}

const whole = (all: Workspace): unknown => all

interface Entering {
  /** What is listed are the results of a search. */
  query?: string | null
  /** What was awaited is brought into view and not selected: the bar of the selection would cover the list after each step back. */
  isTouch?: boolean
}

/** A listing is shown, or shown anew after a change. */
export function enterFolder(
  folder: string,
  entries: readonly Entry[],
  { query = null, isTouch = false }: Entering = {},
): void {
  const before = workspace()
  const isSame = before.view === 'listing' && before.folder === folder && before.query === query
  const picked = takePicked(folder, query, entries)
  const kept = keepExisting(picked ?? (isSame ? before.selection : nothing), entries)
  const isSelectingMany = isSame && before.isSelectingMany
  const awaited = fulfilled(entries, kept, picked !== null)
  const selection = isTouch ? kept : awaited
  publish({ view: 'listing', folder, entries, selection, isSelectingMany, query })
}

/** For the folder that they are of, once there is something to select; another folder ends them. */
function takePicked(folder: string, query: string | null, entries: readonly Entry[]): Selection | null {
  const picked = picks.get()
  if (picked === null) return null
  const isHere = picked.folder === folder && picked.query === query
  // Nothing is listed until the server has answered.
  if (isHere && entries.length === 0) return null
  picks.set(null)
  return isHere ? picked.selection : null
}

/**
 * The selection once the intent for these entries is fulfilled, or as it is while there is none. What was picked stays
 * selected: the file that was looked at last is only brought into view.
 */
function fulfilled(entries: readonly Entry[], kept: Selection, isPicked: boolean): Selection {
  const own = state()
  const { intent } = own
  if (intent === null) return kept
  const above = intent.folder === '/' ? '/' : `${intent.folder}/`
  const sought = new Set(intent.names)
  const isSought = (path: string) => path.startsWith(above) && sought.has(path.slice(above.length))
  const found = entries.flatMap(({ name, path }) => (isSought(path) ? [name] : []))
  const [name] = found
  if (name === undefined) return kept
  own.intent = null
  if (intent.by === 'background' && kept.names.size > 0) return kept
  own.revealed = { name, focus: intent.focus }
  return intent.focus === 'replace' || isPicked ? kept : { names: new Set(found), anchor: name }
}

/** A file fills the screen. */
export function enterFile(view: 'editor' | 'preview', folder: string, file: Entry): void {
  publish({ view, folder, entries: [], selection: nothing, isSelectingMany: false, query: null }, [file])
}

/** No files are shown any more. */
export function leaveFiles(): void {
  picks.set(null)
  publish(empty)
}

export function select(selection: Selection): void {
  const now = workspace()
  if (selection !== now.selection) publish({ ...factsOf(now), selection })
}

export const clearSelection = (): void => select(nothing)

export const selectMany = (isSelectingMany: boolean): void => publish({ ...factsOf(workspace()), isSelectingMany })

/** Selects these names, and brings them into view, once the listing of the folder shows them. */
export function revealWhenListed(
  folder: string,
  names: string | readonly string[],
  { focus = 'follow', by = 'user' }: Partial<Pick<Intent, 'focus' | 'by'>> = {},
): void {
  state().intent = { folder, names: typeof names === 'string' ? [names] : names, focus, by }
}

/** Counts how often a listing was asked to look for what is awaited, although nothing in it has changed. */
const looks = sessionStore(0)

export const useLooks = looks.use

/** The server may tell of a change before the work that made it has ended: what is awaited is listed already. */
export const lookAgain = (): void => looks.set(looks.get() + 1)

/** The parent of a folder that was left selects it, unless something else is awaited there. */
export function revealFolderLeft(folder: string, name: string): void {
  if (state().intent?.folder !== folder) revealWhenListed(folder, name)
}

/** Answers once what was awaited and is listed now, for the listing to scroll to. */
export function takeRevealed(): { name: string; focus: FocusMove } | null {
  const own = state()
  const { revealed } = own
  own.revealed = null
  return revealed
}

type Facts = Omit<Workspace, 'chosen' | 'chosenBytes'>

const factsOf = ({ view, folder, entries, selection, isSelectingMany, query }: Workspace): Facts => ({
  view,
  folder,
  entries,
  selection,
  isSelectingMany,
  query,
})

/** The selected entries are looked up once they are needed, and their size: most changes of a large selection need neither. */
function publish(facts: Facts, chosen?: readonly Entry[]): void {
  let found = chosen
  let bytes: number | undefined
  const { entries, selection, query } = facts
  const isChosen = ({ name }: Entry) => selection.names.has(name)
  const named = (entry: Entry) => (query === null ? entry : { ...entry, name: nameOf(entry.path) })
  state().store.set({
    ...facts,
    get chosen() {
      found ??= selection.names.size === 0 ? [] : entries.flatMap((entry) => (isChosen(entry) ? named(entry) : []))
      return found
    },
    get chosenBytes() {
      bytes ??= this.chosen.reduce((sum, { isDir, size }) => sum + (isDir ? 0 : size), 0)
      return bytes
    },
  })
}
