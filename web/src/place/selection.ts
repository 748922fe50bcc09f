/** Chosen names, not row numbers: a reload may reorder the rows under the user's hand. */
export interface Selection {
  readonly names: ReadonlySet<string>
  /** Where a range starts. */
  readonly anchor: string | null
}

export const nothing: Selection = { names: new Set(), anchor: null }

export type ClickKind = 'only' | 'toggle' | 'range' | 'range-add'

export const only = (...names: string[]): Selection => ({ names: new Set(names), anchor: names[0] ?? null })

export const everything = (shown: readonly string[]): Selection => ({ names: new Set(shown), anchor: shown[0] ?? null })

export function click(selection: Selection, shown: readonly string[], name: string, kind: ClickKind): Selection {
  if (kind === 'toggle') {
    const names = new Set(selection.names)
    if (!names.delete(name)) names.add(name)
    return { names, anchor: name }
  }
  const from = selection.anchor === null ? -1 : shown.indexOf(selection.anchor)
  if (kind !== 'only' && from !== -1) {
    const to = shown.indexOf(name)
    const range = shown.slice(Math.min(from, to), Math.max(from, to) + 1)
    return { names: new Set(kind === 'range-add' ? [...selection.names, ...range] : range), anchor: selection.anchor }
  }
  return { names: new Set([name]), anchor: name }
}

/** After a reload: what is gone is no longer chosen. */
export function keepExisting(selection: Selection, shown: readonly string[]): Selection {
  if (selection.names.size === 0) return selection
  const existing = new Set(shown)
  const names = new Set([...selection.names].filter((name) => existing.has(name)))
  if (names.size === selection.names.size) return selection
  return { names, anchor: selection.anchor !== null && existing.has(selection.anchor) ? selection.anchor : null }
}
