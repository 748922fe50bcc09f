import { createHash } from 'node:crypto'
import { nameOf } from '@filestead/contract/paths'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { Failure, isFailure } from '../../failure.ts'
import { timeOf } from '../alike.ts'
import type { Entry } from '../entry.ts'
import type { Keep } from '../keeping.ts'
import type { Metered } from '../meter.ts'
import type { VirtualPath } from '../path.ts'
import type { Content, OpenFile, Precondition, Storage } from '../port.ts'
import type { At } from './places.ts'

/** A larger file goes on, after an end halfway, at the byte where it stopped. */
const largestInOneGo = 8 << 20

export const isLong = ({ kind, size }: Entry): boolean => kind === 'file' && size > largestInOneGo

export interface Sending {
  readonly precondition: Precondition
  /** The staged id: without it nothing is kept for another try. */
  readonly id?: string | undefined
  readonly keep?: Keep | undefined
  readonly signal?: Cancellation | undefined
  readonly metered?: Metered | undefined
}

/** A file that was sent: its version at the source, and what it became. */
export interface Sent {
  readonly version: string
  readonly copy: Entry
}

/** Sends one file; it shows when it is whole, with the time of the original. */
export async function sendFile(
  from: Storage,
  source: VirtualPath,
  to: Storage,
  target: VirtualPath,
  sending: Sending,
): Promise<Sent> {
  const file = await from.open(source)
  try {
    const { size, version } = file.entry
    const goesOn = isLong(file.entry) && sending.id !== undefined
    const copy = await (goesOn ? sendByDraft(file, to, target, sending) : sendAtOnce(file, to, target, sending))
    sending.metered?.end(size)
    return { version, copy }
  } finally {
    file.close()
  }
}

function sendAtOnce(
  { entry, content }: OpenFile,
  to: Storage,
  target: VirtualPath,
  { precondition, keep, signal, metered }: Sending,
): Promise<Entry> {
  const options = { precondition, length: entry.size, modified: timeOf(entry), keep }
  return to.write(target, piecesOf(content, 0, signal, metered), options)
}

/** The draft is called by the version that it holds: where that changes, another one begins. */
async function sendByDraft(
  { entry, content }: OpenFile,
  to: Storage,
  target: VirtualPath,
  { precondition, id = '', keep, signal, metered }: Sending,
): Promise<Entry> {
  const draftId = `${id}.${createHash('sha256')
    .update(`${nameOf(target)}\0${entry.version}`)
    .digest('hex')
    .slice(0, 24)}`
  const options = { precondition, length: entry.size, modified: timeOf(entry), keep }
  await to.beginDraft(target, draftId, options)
  const draft = await to.openDraft(target, draftId, { isExclusive: true })
  try {
    if (draft.size > entry.size) await draft.truncate(0)
    if (draft.size < entry.size) await draft.append(piecesOf(content, draft.size, signal, metered))
    await draft.sync()
    return await draft.commit(options)
  } finally {
    draft.close()
  }
}

async function* piecesOf(
  content: Content,
  start: number,
  signal: Cancellation | undefined,
  metered: Metered | undefined,
): AsyncGenerator<Uint8Array> {
  if (start === content.size) return
  let at = start
  for await (const piece of content.slice(start, content.size).stream()) {
    signal?.throwIfAborted()
    at += piece.length
    metered?.grown(at)
    yield piece
  }
}

const pieceSize = 4 << 20

/** Reads both. */
export async function haveSameBytes(
  from: Storage,
  one: At,
  to: Storage,
  two: At,
  signal: Cancellation | undefined,
): Promise<boolean> {
  if (one.entry.size !== two.entry.size) return false
  const files = [await from.open(one.path)]
  try {
    files.push(await to.open(two.path))
    for (let at = 0; at < one.entry.size; at += pieceSize) {
      signal?.throwIfAborted()
      const [here, there] = await Promise.all(
        files.map(({ content }) => content.slice(at, at + pieceSize).arrayBuffer()),
      )
      if (here === undefined || there === undefined || !Buffer.from(here).equals(Buffer.from(there))) return false
    }
    return true
  } finally {
    for (const file of files) file.close()
  }
}

/** What is another version, or holds something by now, stays; what is gone already is fine. */
export async function unlessChanged(removal: Promise<void>): Promise<boolean> {
  try {
    await removal
    return true
  } catch (error) {
    if (isFailure(error, 'not-found')) return true
    const isKept = isFailure(error, 'changed-meanwhile', 'already-exists')
    if (!isKept) throw error
    return false
  }
}

export const changedCopy = (): Failure =>
  new Failure('changed-meanwhile', 'The copy was changed before the original could be removed')
