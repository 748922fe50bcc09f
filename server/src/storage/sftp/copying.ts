import type { Cancellation } from '../../concurrency/cancellation.ts'
import type { Entry } from '../entry.ts'
import type { VirtualPath } from '../path.ts'
import type { RemoteCopy } from '../remote/files.ts'
import { close, copyPart, fstat, type Handle } from './client.ts'
import { ServerAway } from './connection.ts'
import { newFileMode, type SftpDrafts } from './drafts.ts'
import { versionOf } from './entries.ts'
import { changed } from './failures.ts'
import type { Place } from './place.ts'
import { openRealFile } from './reading.ts'
import { readRange, writeFrom } from './transfer.ts'

/** In bytes: after so much of a copy on the server it is told how far it is. */
const copiedAtOnce = 64 * 1_048_576

export async function copyFile(
  place: Place,
  drafts: SftpDrafts,
  from: VirtualPath,
  to: VirtualPath,
  { precondition, signal, version, progress }: RemoteCopy,
): Promise<Entry> {
  return place.bytesAt(from, async (session) => {
    const source = await openRealFile(place, session, from)
    try {
      const opened = await fstat(source)
      if (version !== undefined && versionOf(from, opened) !== version) throw changed()
      const { size = 0, permissions = newFileMode, modified } = opened
      return await drafts.once(to, { precondition, modified, mode: permissions }, async (target) => {
        if (target.session !== session) throw new ServerAway('The connection was lost during a copy')
        if (session.has('copy')) await copyThere(source, target, size, signal, progress)
        else await writeFrom(target, 0, metered(readRange(source, 0, size), signal, progress), () => {})
        return size
      })
    } finally {
      close(source)
    }
  })
}

async function copyThere(
  source: Handle,
  target: Handle,
  size: number,
  signal: Cancellation | undefined,
  progress: RemoteCopy['progress'],
): Promise<void> {
  for (let at = 0; at < size; at += copiedAtOnce) {
    signal?.throwIfAborted()
    const length = Math.min(copiedAtOnce, size - at)
    await copyPart(source, target, at, length)
    progress?.(length)
  }
}

async function* metered(
  bytes: AsyncIterable<Uint8Array>,
  signal: Cancellation | undefined,
  progress: RemoteCopy['progress'],
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    signal?.throwIfAborted()
    yield piece
    progress?.(piece.length)
  }
}
