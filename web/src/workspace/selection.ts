/** Selected names, not row numbers: a reload may reorder the rows. */
export interface Selection {
  readonly names: ReadonlySet<string>
  /** The entry at which a range starts. */
  readonly anchor: string | null
  /**
   * `arrows`: the one row that the arrow keys have moved to; the next arrow moves the selection on. `space`: gathered
   * with the Space key; the arrows move the focus alone. `press`: begun with a long press of a finger; each tap adds or
   * removes. Absent where a mouse or a command has selected.
   */
  readonly by?: 'arrows' | 'space' | 'press'
}

/** What can be selected, in the order of the screen. */
type Shown = readonly { readonly name: string }[]

export const nothing: Selection = { names: new Set(), anchor: null }

export type ClickKind = 'only' | 'toggle' | 'range' | 'range-add'

export const only = (...names: string[]): Selection => ({ names: new Set(names), anchor: names[0] ?? null })

export const everything = (shown: Shown): Selection => ({
  names: new Set(shown.map(({ name }) => name)),
  anchor: shown[0]?.name ?? null,
})

export function click(selection: Selection, shown: Shown, name: string, kind: ClickKind): Selection {
  if (kind === 'toggle') {
    const names = new Set(selection.names)
    if (!names.delete(name)) names.add(name)
    return { names, anchor: name }
  }
  if (kind === 'only') return only(name)
  return range(selection, shown, name, kind === 'range-add')
}

/** The focus has moved to a row: by an arrow, a page key, Home, End, or the first letters of its name. */
export function movedTo(selection: Selection, name: string): Selection {
  const isGathered = selection.by === 'space' && selection.names.size > 0
  const isThere = selection.by === 'arrows' && selection.names.has(name)
  return isGathered || isThere ? selection : { ...only(name), by: 'arrows' }
}

/**
 * Space adds and removes, for as many rows as are wanted. The row that the arrows have selected on their way is kept by
 * the first Space: nothing about it looks different from a row that is wanted.
 */
export function gathered(selection: Selection, shown: Shown, name: string): Selection {
  const isOnTheWay = selection.by === 'arrows' && selection.names.has(name)
  return { ...(isOnTheWay ? selection : click(selection, shown, name, 'toggle')), by: 'space' }
}

/** A long press adds, and never removes: the row under the finger may have been selected by a tap before. */
export const pressed = ({ names }: Selection, name: string): Selection => ({
  names: new Set([...names, name]),
  anchor: name,
  by: 'press',
})

/** Do taps add and remove? */
export const isPressed = ({ by, names }: Selection): boolean => by === 'press' && names.size > 0

/** From the anchor to `name`, as the screen shows them; without an anchor `name` alone. */
function range(selection: Selection, shown: Shown, name: string, isAdding: boolean): Selection {
  const from = selection.anchor === null ? -1 : indexOf(shown, selection.anchor)
  const to = indexOf(shown, name)
  if (from === -1 || to === -1) return only(name)
  const names = new Set(isAdding ? selection.names : [])
  for (let at = Math.min(from, to); at <= Math.max(from, to); at += 1) names.add(shown[at]?.name ?? name)
  return { names, anchor: selection.anchor }
}

const indexOf = (shown: Shown, name: string): number => shown.findIndex((entry) => entry.name === name)

/** After a reload: an entry that is gone is no longer selected. */
export function keepExisting(selection: Selection, shown: Shown): Selection {
  if (selection.names.size === 0) return selection
  const names = new Set(shown.flatMap(({ name }) => (selection.names.has(name) ? [name] : [])))
  if (names.size === selection.names.size) return selection
  const { anchor } = selection
  return { ...selection, names, anchor: anchor !== null && names.has(anchor) ? anchor : null }
}
