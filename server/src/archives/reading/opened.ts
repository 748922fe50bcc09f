import type { ArchiveFormat, NameEncoding } from '@filestead/contract'
import { identityOf } from '../../access/identity.ts'
import { notAllowed } from '../../access/lookup.ts'
import type { Scope } from '../../access/scope.ts'
import { semaphore } from '../../concurrency/semaphore.ts'
import { singleFlight } from '../../concurrency/single-flight.ts'
import { Failure } from '../../failure.ts'
import type { VirtualPath } from '../../storage/path.ts'
import type { OpenFile } from '../../storage/port.ts'
import { readIndex } from './archive.ts'
import type { EntryIndex } from './entry-index.ts'
import { formatOf } from './formats.ts'
import { type Source, sourceOf } from './source.ts'

/** An archive whose table of contents has been read. */
export interface OpenedArchive {
  readonly format: ArchiveFormat
  readonly index: EntryIndex
}

/** An archive that is open. */
export interface ArchiveFile {
  readonly file: OpenFile
  /** Which file and version it is; undefined where its storage does not know one file from another. */
  readonly identity: string | undefined
}

/** Archives that are looked at, of all requests. */
export interface OpenedArchives {
  /** The file must stay open until then. */
  read(
    archive: ArchiveFile,
    encoding: NameEncoding | undefined,
    signal: AbortSignal,
    most?: number,
  ): Promise<OpenedArchive>
}

/** In bytes: what all that are kept may weigh. The largest that is possible fits. */
const mostWeight = 128 << 20
/** In milliseconds without a request. */
const keptFor = 120_000

/**
 * Tables of contents, kept by file and version for a while: who looks into an archive goes from folder to folder. Two are
 * read at once, because each may take a hundred megabytes and all that the event loop has to give.
 */
export function openedArchives(): OpenedArchives {
  const kept = new Map<string, { archive: OpenedArchive; forget: Timer }>()
  const flights = singleFlight<OpenedArchive>()
  const reading = semaphore(2)

  function forget(key: string): void {
    clearTimeout(kept.get(key)?.forget)
    kept.delete(key)
  }

  function keep(key: string, archive: OpenedArchive): void {
    forget(key)
    kept.set(key, { archive, forget: setTimeout(() => forget(key), keptFor).unref() })
    for (const oldest of kept.keys()) {
      if ([...kept.values()].reduce((sum, { archive: { index } }) => sum + index.weight, 0) <= mostWeight) break
      forget(oldest)
    }
  }

  async function readAnew(source: Source, encoding: NameEncoding | undefined, signal: AbortSignal, most?: number) {
    return reading.run(async () => {
      const format = await formatOf(source)
      return { format, index: await readIndex(source, format, { encoding, signal, most }) }
    }, signal)
  }

  return {
    async read({ file, identity }, encoding, signal, most) {
      const key = identity === undefined ? undefined : `${identity} ${encoding ?? ''}`
      const known = key === undefined ? undefined : kept.get(key)?.archive
      const archive =
        known ??
        (key === undefined
          ? await readAnew(sourceOf(file), encoding, signal, most)
          : await flights(`${key} ${most ?? ''}`, signal, (abandoned) =>
              readAnew(sourceOf(file), encoding, abandoned, most),
            ))
      if (key !== undefined) keep(key, archive)
      return archive
    },
  }
}

/** What is in an archive is its content: to look into it takes the right to download it. */
export async function openArchive(scope: Scope, path: VirtualPath): Promise<ArchiveFile> {
  // Not by `require`, whose refusal has a meaning of its own for clients of downloads.
  if (!scope.may('download', path)) throw notAllowed()
  const { entry, file } = await scope.find(path, { lists: false, right: 'download' })
  if (file === undefined) throw new Failure('invalid', `this is no file: ${entry.kind}`)
  const identity = file.entry.id === undefined ? undefined : identityOf(scope, path, file.entry)
  return { file, identity }
}
