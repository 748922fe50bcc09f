import type { Cancellation } from '../../concurrency/cancellation.ts'
import { Failure, isFailure } from '../../failure.ts'
import type { Entry, EntryKind } from '../entry.ts'
import { draftPrefix, type VirtualPath } from '../path.ts'
import { close, fstat, type Handle, lstat, open, openFolder, readNames, type Session, unlink } from './client.ts'
import { entryAt, isName, isTold, kindOf, pathOf, versionOf } from './entries.ts'
import { changed, failureOf, notFound, translated } from './failures.ts'
import { type Attributes, type NamedAttributes, openFlag } from './packets.ts'
import type { Place } from './place.ts'
import { readRange } from './transfer.ts'

export async function stat(place: Place, path: VirtualPath): Promise<Entry | undefined> {
  try {
    const session = await place.lookups()
    const attributes = await translated(session, () => place.lookAt(session, path))
    return attributes === undefined ? undefined : entryAt(path, attributes)
  } catch (error) {
    if (isFailure(error, 'not-found')) return undefined
    throw error
  }
}

/** How many requests for names are under way at once: OpenSSH tells a hundred names in each. */
const namesAhead = 4

/** In seconds: a draft of a single request that nothing was written to for so long belongs to a process that died. */
const abandonedAfter = 2 * 86_400

export async function* list(
  place: Place,
  folder: VirtualPath,
  signal?: Cancellation,
): AsyncGenerator<readonly Entry[]> {
  const session = await place.lookups()
  const handle = await translated(session, () => openRealFolder(place, session, folder))
  try {
    const asked: Promise<NamedAttributes[] | undefined>[] = []
    for (;;) {
      while (asked.length < namesAhead) {
        const names = readNames(handle)
        names.catch(() => {})
        asked.push(names)
      }
      const names = await asked.shift()
      // A server that tells no names and no end could go on so for ever.
      if (names === undefined || names.length === 0) return
      signal?.throwIfAborted()
      yield await entriesOf(session, folder, names)
    }
  } catch (error) {
    throw await failureOf(error, session)
  } finally {
    close(handle)
  }
}

const openRealFolder = (place: Place, session: Session, folder: VirtualPath): Promise<Handle> =>
  opened(place, session, folder, openFolder(session, folder), (kind) => {
    if (kind !== 'folder') throw new Failure('not-found', 'This is not a folder')
  })

async function entriesOf(session: Session, folder: VirtualPath, names: readonly NamedAttributes[]): Promise<Entry[]> {
  const entries = await Promise.all(
    names.filter(isName).map(async (named) => {
      const path = pathOf(folder, named)
      const attributes = isTold(named) ? named : await lstat(session, path)
      if (attributes === undefined || isAbandoned(path, attributes, session)) return undefined
      return entryAt(path, attributes)
    }),
  )
  return entries.filter((entry) => entry !== undefined)
}

/** What a crash has left of a single request is cleared away where it is met. */
function isAbandoned(path: VirtualPath, { modified = 0 }: Attributes, session: Session): boolean {
  if (!path.includes(`/${draftPrefix}once-`) || modified > Date.now() / 1000 - abandonedAfter) return false
  unlink(session, path).catch(() => {})
  return true
}

export function read(
  place: Place,
  path: VirtualPath,
  entry: Entry,
  start: number,
  end: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = bytesOfFile(place, path, entry, start, end)
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { value, done } = await bytes.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await bytes.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

async function* bytesOfFile(
  place: Place,
  path: VirtualPath,
  entry: Entry,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const session = await place.transfers()
  const handle = await translated(session, () => openRealFile(place, session, path)).catch((error) => {
    throw isFailure(error, 'not-found', 'invalid') ? changed() : error
  })
  try {
    // Asked for together with the first bytes.
    const isSame = fstat(handle).then((opened) => versionOf(path, opened) === entry.version)
    isSame.catch(() => {})
    for await (const piece of readRange(handle, start, end)) {
      if (!(await isSame)) throw changed()
      yield piece
    }
  } catch (error) {
    throw await failureOf(error, session)
  } finally {
    close(handle)
  }
}

export const openRealFile = (place: Place, session: Session, path: VirtualPath): Promise<Handle> =>
  opened(place, session, path, open(session, path, openFlag.read), (kind) => {
    if (kind !== 'file') throw new Failure('invalid', 'this is not a regular file')
  })

/** Opening follows links, so the name and the folders on the way are looked at right behind it, in the same round trip. */
async function opened(
  place: Place,
  session: Session,
  path: VirtualPath,
  opening: Promise<Handle>,
  requireKind: (kind: EntryKind) => void,
): Promise<Handle> {
  opening.catch(() => {})
  try {
    const kind = kindOf(await place.lookAnew(session, path))
    if (kind === undefined) throw notFound()
    requireKind(kind)
  } catch (error) {
    opening.then(close, () => {})
    throw error
  }
  return opening
}
