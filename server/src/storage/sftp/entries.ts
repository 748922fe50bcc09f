import { isUtf8 } from 'node:buffer'
import { nameOf } from '@filestead/contract/paths'
import { type Entry, type EntryFacts, type EntryKind, type Identity, PlainEntry } from '../entry.ts'
import { marked, textOf } from '../exact-names.ts'
import { inFolder, type VirtualPath } from '../path.ts'
import type { Attributes, NamedAttributes } from './packets.ts'

const kinds: ReadonlyMap<number, EntryKind> = new Map([
  [0o100000, 'file'],
  [0o040000, 'folder'],
  [0o120000, 'link'],
  [0o010000, 'pipe'],
  [0o140000, 'socket'],
])

/** Undefined where nothing is there. */
export function kindOf(attributes: Attributes | undefined): EntryKind | undefined {
  if (attributes === undefined) return undefined
  return kinds.get((attributes.permissions ?? 0) & 0o170000) ?? 'device'
}

/**
 * The protocol tells neither a number of the file nor parts of a second. So only folders have an id, their path, and a
 * version is made of path, size and second: `timeFor` sees to it that each file that is saved here gets another second than
 * the one before. Made when it is asked for: a listing asks for none.
 */
const identityOf = (path: VirtualPath, attributes: Attributes): Identity => ({
  id: kindOf(attributes) === 'folder' ? path : undefined,
  get version() {
    return versionOf(path, attributes)
  },
})

export const versionOf = (path: VirtualPath, { size = 0, modified = 0 }: Attributes): string =>
  `"${modified.toString(36)}-${size.toString(36)}-${Bun.hash(path).toString(36)}"`

export function entryAt(path: VirtualPath, attributes: Attributes): Entry {
  const name = nameOf(path)
  const kind = kindOf(attributes) ?? 'device'
  const facts: EntryFacts = {
    name: marked(name),
    exact: name.isWellFormed() ? undefined : name,
    kind,
    isLink: kind === 'link',
    size: attributes.size ?? 0,
    mode: (attributes.permissions ?? 0) & 0o7777,
    seconds: attributes.modified ?? 0,
    nanoseconds: 0,
  }
  return new PlainEntry(facts, identityOf(path, attributes))
}

/** The names that can be one: a server could tell anything. */
export const isName = ({ name }: NamedAttributes): boolean =>
  name.length > 0 &&
  !name.includes(0) &&
  !name.includes(0x2f) &&
  !(name[0] === 0x2e && (name.length === 1 || isParent(name)))

const isParent = (name: Uint8Array): boolean => name.length === 2 && name[1] === 0x2e

export const pathOf = (folder: VirtualPath, { name }: NamedAttributes): VirtualPath =>
  inFolder(folder, isUtf8(name) ? Buffer.from(name).toString() : textOf(name))

export const isTold = ({ size, permissions, modified }: Attributes): boolean =>
  size !== undefined && permissions !== undefined && modified !== undefined

/** In seconds: a file that is said to be from further ahead has a time that was given to it, not one of a clock. */
const day = 86_400

/**
 * The time of a file that replaces another one: later by a second at least, so that two files that are saved within a
 * second have two versions. A time that was given is only moved where both files could not be told apart.
 */
export function timeFor(
  given: number | undefined,
  size: number,
  replaced: Attributes | undefined,
  now = Math.floor(Date.now() / 1000),
): number {
  const before = replaced?.modified
  if (before === undefined) return given ?? now
  if (given !== undefined) return given === before && size === replaced?.size ? given + 1 : given
  return before >= now && before < now + day ? before + 1 : now
}

/** In seconds, as far as the protocol can count. */
export const toSeconds = (milliseconds: number): number =>
  Math.min(0xffff_ffff, Math.max(0, Math.floor(milliseconds / 1000)))
