import { posix } from 'node:path'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { Failure } from '../../failure.ts'
import { isAlike } from '../alike.ts'
import type { Entry } from '../entry.ts'
import { childOf, exactOf } from '../path.ts'
import { LinkInTheWay } from '../port.ts'
import { choiceFor, leavesAlike } from '../taken.ts'
import type { TakenRule, TransferKind } from '../transfer-options.ts'
import { haveSameBytes } from './files.ts'
import { type At, childrenOf, type Ends, entryAt, isPortable, requireSameKind } from './places.ts'

/** What is at the source; refused where the port cannot make it elsewhere. */
export async function sourceOf({ from, source, target }: Ends): Promise<Entry | undefined> {
  if (source === '/' || target === '/') throw new Failure('forbidden', 'The root folder itself cannot be changed')
  const entry = await entryAt(from, source)
  if (entry?.isLink) throw new LinkInTheWay()
  if (entry !== undefined && !isPortable(entry)) throw new Failure('invalid', 'this is not a regular file')
  return entry
}

interface Question {
  readonly kind: TransferKind
  readonly rule?: TakenRule | undefined
  readonly signal?: Cancellation | undefined
}

/**
 * Refuses as a whole, before anything is changed: what cannot be moved, because the port can make none elsewhere, and what
 * cannot take the place of what is there.
 */
export async function requirePossible(
  { from, to }: Pick<Ends, 'from' | 'to'>,
  one: At,
  two: At | undefined,
  { kind, rule, signal }: Question,
  inside = '',
): Promise<void> {
  signal?.throwIfAborted()
  if (two !== undefined) requireSameKind(one.entry, two.entry)
  // Of a copy to a free name there is nothing to refuse.
  if (one.entry.kind !== 'folder' || (two === undefined && kind === 'copy')) return
  const there = two === undefined ? new Map<string, Entry>() : await childrenOf(to, two.path)
  for (const entry of (await from.list(one.path, signal, { isOnce: true })).entries) {
    const [path, other] = [posix.join(inside, exactOf(entry)), there.get(exactOf(entry))]
    if (!isPortable(entry)) {
      if (kind === 'copy') continue
      throw new Failure('forbidden', 'A symlink, pipe, socket or device cannot be moved to another storage')
    }
    const below = { path: childOf(one.path, entry), entry }
    const target = other && two && { path: childOf(two.path, other), entry: other }
    const areFolders = entry.kind === 'folder' && (other === undefined || other.kind === 'folder')
    if (areFolders) await requirePossible({ from, to }, below, target, { kind, rule, signal }, path)
    else if (target === undefined) continue
    else if (rule === undefined) requireSameKind(entry, target.entry)
    else if (!(await isSameFile({ from, to }, below, target, leavesAlike(rule, path), signal)))
      choiceFor(rule, path, ...(await precisely({ from, to }, below, target)))
  }
}

/** Listings of servers elsewhere may tell other times than the files have. */
export async function precisely({ from, to }: Pick<Ends, 'from' | 'to'>, one: At, two: At): Promise<[Entry, Entry]> {
  const [first, second] = await Promise.all([entryAt(from, one.path), entryAt(to, two.path)])
  return [first ?? one.entry, second ?? two.entry]
}

/** The same file: it is left alone. Contents are read only where size and time are equal and not trusted. */
export async function isSameFile(
  ends: Pick<Ends, 'from' | 'to'>,
  one: At,
  two: At,
  isTrusted: boolean,
  signal: Cancellation | undefined,
): Promise<boolean> {
  if (one.entry.kind !== 'file' || two.entry.kind !== 'file' || one.entry.size !== two.entry.size) return false
  const [first, second] = await precisely(ends, one, two)
  if (!isAlike(first, second)) return false
  return isTrusted || haveSameBytes(ends.from, { ...one, entry: first }, ends.to, { ...two, entry: second }, signal)
}
