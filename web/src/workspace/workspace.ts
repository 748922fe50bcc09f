import type { Entry } from '../server/queries/resources.ts'
import { perSession, useScope } from '../state/session-scope.ts'
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
}

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

/** A listing is shown, or shown anew after a change. */
export function enterFolder(folder: string, entries: readonly Entry[]): void {
  const before = workspace()
  const isSame = before.view === 'listing' && before.folder === folder
  const kept = isSame ? keepExisting(before.selection, entries) : nothing
  const isSelectingMany = isSame && before.isSelectingMany
  publish({ view: 'listing', folder, entries, selection: fulfilled(folder, entries, kept), isSelectingMany })
}

/** The selection once the intent for this folder is fulfilled, or as it is while there is none. */
function fulfilled(folder: string, entries: readonly Entry[], kept: Selection): Selection {
  const own = state()
  const { intent } = own
  if (intent?.folder !== folder) return kept
  const sought = new Set(intent.names)
  const found = entries.flatMap(({ name }) => (sought.has(name) ? [name] : []))
  const [name] = found
  if (name === undefined) return kept
  own.intent = null
  if (intent.by === 'background' && kept.names.size > 0) return kept
  own.revealed = { name, focus: intent.focus }
  return intent.focus === 'replace' ? kept : { names: new Set(found), anchor: name }
}

/** A file fills the screen. */
export function enterFile(view: 'editor' | 'preview', folder: string, file: Entry): void {
  publish({ view, folder, entries: [], selection: nothing, isSelectingMany: false }, [file])
}

/** No files are shown any more. */
export const leaveFiles = (): void => publish(empty)

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

const factsOf = ({ view, folder, entries, selection, isSelectingMany }: Workspace): Facts => ({
  view,
  folder,
  entries,
  selection,
  isSelectingMany,
})

/** The selected entries are looked up once they are needed, and their size: most changes of a large selection need neither. */
function publish(facts: Facts, chosen?: readonly Entry[]): void {
  let found = chosen
  let bytes: number | undefined
  const { entries, selection } = facts
  state().store.set({
    ...facts,
    get chosen() {
      found ??= selection.names.size === 0 ? [] : entries.filter(({ name }) => selection.names.has(name))
      return found
    },
    get chosenBytes() {
      bytes ??= this.chosen.reduce((sum, { isDir, size }) => sum + (isDir ? 0 : size), 0)
      return bytes
    },
  })
}
