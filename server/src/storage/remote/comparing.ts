import { posix } from 'node:path'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { Failure } from '../../failure.ts'
import { isAlike } from '../alike.ts'
import { childOf, exactOf, type VirtualPath } from '../path.ts'
import type { Entry } from '../port.ts'
import { choiceFor, leavesAlike } from '../taken.ts'
import type { TakenRule } from '../transfer-options.ts'
import { haveSameBytes } from './moving.ts'
import { allIn, isHidden, type Remote } from './remote.ts'

/** A thing at its place. */
export interface At {
  readonly path: VirtualPath
  readonly entry: Entry
}

interface MergeQuestion {
  readonly rule?: TakenRule | undefined
  readonly signal?: Cancellation | undefined
}

/** Can one tree take the place of, or merge into, the other? Asked before anything is changed. */
export async function requireMergeable(
  remote: Remote,
  from: At,
  to: At,
  { rule, signal }: MergeQuestion,
  inside = '',
): Promise<void> {
  requireSameKind(from.entry, to.entry)
  if (from.entry.kind !== 'folder') return
  const there = await childrenOf(remote, to.path)
  for (const entry of await allIn(remote, from.path)) {
    signal?.throwIfAborted()
    const name = exactOf(entry)
    const other = there.get(name)
    if (isHidden(name) || other === undefined) continue
    const [one, two] = [
      { path: childOf(from.path, entry), entry },
      { path: childOf(to.path, other), entry: other },
    ]
    const path = posix.join(inside, name)
    if (entry.kind === 'folder' && other.kind === 'folder')
      await requireMergeable(remote, one, two, { rule, signal }, path)
    else if (rule === undefined) requireSameKind(entry, other)
    else if (!(await isSame(remote, one, two, rule, path, signal)))
      choiceFor(rule, path, ...(await precisely(remote, one, two)))
  }
}

export function requireSameKind(one: Entry, two: Entry): void {
  if ((one.kind === 'folder') !== (two.kind === 'folder'))
    throw new Failure('already-exists', 'A file and a folder cannot replace each other')
}

export async function childrenOf(remote: Remote, folder: VirtualPath): Promise<Map<string, Entry>> {
  return new Map((await allIn(remote, folder)).map((entry) => [exactOf(entry), entry]))
}

/** Listings may tell other times than the files have. */
export const precisely = async ({ files }: Remote, one: At, two: At): Promise<[Entry, Entry]> => {
  const [first, second] = await Promise.all([files.stat(one.path), files.stat(two.path)])
  return [first ?? one.entry, second ?? two.entry]
}

/** The same file: it is left alone. */
export async function isSame(
  remote: Remote,
  one: At,
  two: At,
  rule: TakenRule | undefined,
  path: string,
  signal: Cancellation | undefined,
): Promise<boolean> {
  if (one.entry.kind !== 'file' || two.entry.kind !== 'file' || one.entry.size !== two.entry.size) return false
  const [first, second] = await precisely(remote, one, two)
  if (!isAlike(first, second)) return false
  if (rule !== undefined && leavesAlike(rule, path)) return true
  return haveSameBytes(remote, [one.path, first], [two.path, second], signal)
}
