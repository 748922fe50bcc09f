import type { VirtualPath } from '../path.ts'
import type { DraftRecords } from '../remote/files.ts'
import { type Publication, publish } from './conditions.ts'
import type { Headers, Objects } from './objects.ts'
import { S3Refusal } from './refusal.ts'

export interface Sizes {
  /** In bytes: at most so long a file is stored by one call, and so long are the parts of others at least. */
  readonly part: number
  /** At most so long a file is copied by one call. */
  readonly copy: number
  /** How long the parts of a longer copy are. */
  readonly copyPart: number
}

const mebibyte = 1 << 20

export const usualSizes: Sizes = { part: 8 * mebibyte, copy: 5 * 1024 * mebibyte, copyPart: 512 * mebibyte }

export const mostParts = 10_000

/** All parts of a file whose length is known are as long, as some servers want it. */
export const partSizeFor = ({ part }: Sizes, length: number): number =>
  length <= part * mostParts ? part : Math.ceil(length / mostParts / mebibyte) * mebibyte

/** Parts that are as long as the first one, where the length is not known: 32 GB of the usual ones. */
const equalParts = 4000

/** Then every hundred are longer by as much, so that ten thousand are enough for 1.5 TB. */
export const sizeOfPart = (usual: number, at: number): number =>
  usual * (1 + Math.max(0, Math.floor((at - equalParts) / 100) + 1))

/** What is noted of a multipart upload, so that another process can end it. */
export interface UploadNote {
  readonly key: string
  /** When it was begun, in milliseconds since 1970. */
  readonly begun: number
  /** Undefined until the server has told it. */
  upload?: string | undefined
}

/** A second of difference between two clocks must not hide an upload. */
const clockSlack = 300_000

/** Ends an upload that will not be used. Where its id was never noted, it is the one of that key since then. */
export async function abandon(
  objects: Objects,
  { key, begun, upload }: UploadNote,
  known: () => Promise<ReadonlySet<string>>,
): Promise<void> {
  if (upload !== undefined) return objects.abort(key, upload)
  const since = (await objects.uploadsOf(key)).filter((pending) => pending.begun >= begun - clockSlack)
  if (since.length === 0) return
  const others = await known()
  for (const pending of since) if (!others.has(pending.upload)) await objects.abort(key, pending.upload)
}

/** The uploads that are noted, of all drafts and writes of the mount. */
export async function notedUploads(records: DraftRecords): Promise<ReadonlySet<string>> {
  const uploads = new Set<string>()
  for (const { state } of await records.all()) {
    const { upload } = JSON.parse(state) as Partial<UploadNote>
    if (upload !== undefined) uploads.add(upload)
  }
  return uploads
}

export interface UploadParts {
  readonly objects: Objects
  readonly records: DraftRecords
}

/** Begins the upload of a note. One of which nothing was heard may be there all the same, and is ended. */
export async function beginUpload(
  { objects, records }: UploadParts,
  note: UploadNote,
  headers: Headers,
): Promise<string> {
  for (let round = 1; ; round += 1)
    try {
      return await objects.createUpload(note.key, headers)
    } catch (error) {
      if (!(error instanceof S3Refusal) || !error.isUncertain || round >= mostBegins) throw error
      await abandon(objects, note, () => notedUploads(records))
    }
}

const mostBegins = 3

/**
 * Makes an object of parts. It is noted until it is whole or aborted: after a crash the note has it ended, so that no parts
 * stay that are paid for and not seen. Notes are held while they are in use.
 */
export async function multipart<T>(
  { objects, records }: UploadParts,
  path: VirtualPath,
  key: string,
  headers: Headers,
  work: (upload: string) => Promise<T>,
): Promise<T> {
  const id = `write-${crypto.randomUUID()}`
  const note: UploadNote = { key, begun: Date.now() }
  await records.save(path, id, JSON.stringify(note))
  const unlock = await records.lock(path, id)
  try {
    note.upload = await beginUpload({ objects, records }, note, headers)
    await records.save(path, id, JSON.stringify(note))
    const result = await work(note.upload)
    await records.forget(path, id)
    return result
  } catch (error) {
    await abandon(objects, note, () => notedUploads(records))
      .then(() => records.forget(path, id))
      // The note stays, and the cleanup tries it again.
      .catch(() => {})
    throw error
  } finally {
    unlock()
  }
}

/** Makes the object of its parts. Where an earlier upload of the same write turns out to have done so, this one is ended. */
export async function completeUpload(
  objects: Objects,
  publication: Publication,
  upload: string,
  etags: readonly string[],
  moved?: () => void,
): Promise<string> {
  const { key } = publication
  let isOwn = false
  const etag = await publish(objects, publication, async (headers) => {
    const made = await objects.complete(key, upload, etags, headers, moved)
    isOwn = true
    return made
  })
  if (!isOwn) await objects.abort(key, upload)
  return etag
}
