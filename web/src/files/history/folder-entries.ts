import type { Entry } from '../../server/queries/resources.ts'
import type { EntryAt } from '../../server/queries/timeline.ts'

/** What has become of an entry since: it is gone, it is another one, or (null) it is as it was. */
export type Change = 'gone' | 'different' | null

/** An entry of a folder at a time, and what has become of it. */
export interface PastEntry extends EntryAt {
  change: Change
}

/** `present` is what the folder holds now, by name; undefined while that is not known. */
export function changeOf(entry: EntryAt, present: ReadonlyMap<string, Entry> | undefined): Change {
  if (present === undefined) return null
  const now = present.get(entry.name)
  if (now === undefined) return 'gone'
  if (entry.past === undefined) return null
  if (now.isDir !== entry.isDir) return 'different'
  // A folder is the same one, whatever is in it: that shows when it is opened.
  if (entry.isDir) return null
  const isSame = now.size === (entry.size ?? now.size) && Date.parse(now.modified) === Date.parse(entry.modified)
  return isSame ? null : 'different'
}

/** Folders first, in the order of the server, with what has become of each. */
export function entriesThen(
  entries: readonly EntryAt[],
  present: ReadonlyMap<string, Entry> | undefined,
  isOnlyGone: boolean,
): PastEntry[] {
  const all = entries.map((entry) => ({ ...entry, change: changeOf(entry, present) }))
  const some = isOnlyGone ? all.filter(({ change }) => change !== null) : all
  return [...some.filter(({ isDir }) => isDir), ...some.filter(({ isDir }) => !isDir)]
}
