import type { Resource, ResourceType } from '@filestead/contract'
import { extensionOf } from '@filestead/contract/paths'
import type { EntryFacts, EntryKind } from './facts.ts'
import { kindByName } from './kinds.ts'
import { formatTime } from './times.ts'

const kindBits: Record<EntryKind, number> = {
  file: 0,
  folder: 2 ** 31,
  link: 2 ** 27,
  device: 2 ** 26,
  pipe: 2 ** 25,
  socket: 2 ** 24,
}

/** The mode as Go's FileMode, which clients expect: kind and special bits are other bits than in Unix. */
export function goMode({ mode, kind, modeKind = kind }: Pick<EntryFacts, 'mode' | 'kind' | 'modeKind'>): number {
  const setuid = mode & 0o4000 ? 2 ** 23 : 0
  const setgid = mode & 0o2000 ? 2 ** 22 : 0
  const sticky = mode & 0o1000 ? 2 ** 20 : 0
  return (mode & 0o777) + kindBits[modeKind] + setuid + setgid + sticky
}

/** The type of an entry as far as its name and kind tell; `undefined` where its content has to be read. */
export function typeByName({ kind, name, size }: Pick<EntryFacts, 'kind' | 'name' | 'size'>): ResourceType | undefined {
  if (kind === 'file') return kindByName(name, size)
  if (kind === 'folder') return ''
  return kind === 'link' ? 'invalid_link' : 'blob'
}

export const toResource = (entry: EntryFacts, path: string, type: ResourceType): Resource => ({
  path,
  name: entry.name,
  size: entry.size,
  extension: extensionOf(entry.name),
  modified: formatTime(entry.seconds, entry.nanoseconds),
  mode: goMode(entry),
  isDir: entry.kind === 'folder',
  isSymlink: entry.isLink,
  type,
})

/** Are both told alike, at the same path and with the same type? */
export const isSameResource = (one: EntryFacts, two: EntryFacts): boolean =>
  one.name === two.name &&
  one.size === two.size &&
  one.seconds === two.seconds &&
  one.nanoseconds === two.nanoseconds &&
  one.mode === two.mode &&
  one.kind === two.kind &&
  one.modeKind === two.modeKind &&
  one.isLink === two.isLink
