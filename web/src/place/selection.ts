/** Chosen names, not row numbers: a reload may reorder the rows under the user's hand. */
export interface Selection {
  readonly names: ReadonlySet<string>
  /** Where a range starts. */
  readonly anchor: string | null
}

/** What can be chosen, in the order of the screen. */
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

/** After a reload: what is gone is no longer chosen. */
export function keepExisting(selection: Selection, shown: Shown): Selection {
  if (selection.names.size === 0) return selection
  const names = new Set(shown.flatMap(({ name }) => (selection.names.has(name) ? [name] : [])))
  if (names.size === selection.names.size) return selection
  const { anchor } = selection
  return { names, anchor: anchor !== null && names.has(anchor) ? anchor : null }
}
