import type { TakeoverChange } from '@filestead/contract'

/** The same thing happened to all these. */
export interface ChangeGroup extends Omit<TakeoverChange, 'subject'> {
  subjects: string[]
}

/** One paragraph per kind of change, in the order in which they came. */
export function groupChanges(changes: readonly TakeoverChange[]): ChangeGroup[] {
  const groups = new Map<string, ChangeGroup>()
  for (const { subject, ...rest } of changes) {
    const group = groups.get(rest.code) ?? { ...rest, subjects: [] }
    if (subject !== '') group.subjects.push(subject)
    groups.set(rest.code, group)
  }
  return [...groups.values()]
}
