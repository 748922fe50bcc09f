import { nameOf } from '@filestead/contract/paths'
import { semaphore } from '../../concurrency/semaphore.ts'
import { Failure } from '../../failure.ts'
import type { Entry } from '../entry.ts'
import { parentOf, rootPath, type VirtualPath } from '../path.ts'
import type { DraftRecords, RemoteFiles } from '../remote/files.ts'
import { type ClientOptions, type S3Place, s3Client } from './client.ts'
import { type Conditions, noConditions, requireSame } from './conditions.ts'
import { copyFile } from './copying.ts'
import { beginDraft, dropDraft, openDraft } from './drafts.ts'
import { fileEntry, folderEntry, timeIn, timeMemory } from './entries.ts'
import { hidingFiles } from './hiding.ts'
import { listBelow, listFolder } from './listing.ts'
import { type Sizes, usualSizes } from './multipart.ts'
import { etagIn, namesIn } from './names.ts'
import { objectsOf } from './objects.ts'
import { probeConditions, problemOf, weaknessesOf } from './probing.ts'
import { readObject } from './reading.ts'
import { isRefusal } from './refusal.ts'
import { writeFile } from './writing.ts'

export interface S3Options extends ClientOptions {
  readonly place: S3Place
  readonly records: DraftRecords
  /** Keys that may only read are enough then. */
  readonly isReadOnly?: boolean | undefined
  /** Limits that tests make smaller. */
  readonly sizes?: Sizes
  readonly pageSize?: number
  readonly mostTimes?: number
  readonly mostNames?: number
}

/** Listings look up the times of so many files of a folder: one call for each, the first time. */
const usualTimes = 10_000
/** So many times are remembered, in about 20 MB. */
const mostRemembered = 100_000
/** Parts of files that are under way at once, each of which is held in memory. */
const partsInMemory = 8
const mostUnreachable = 1000
/** Below one folder: a billion is more than a bucket of which a listing ends within a day. */
const usualNames = 1_000_000_000
const mostEmptyPages = 1000

/** The objects of a bucket below a prefix, as files and folders. */
export function openS3(options: S3Options): RemoteFiles {
  const { place, records, sizes = usualSizes, isReadOnly = false } = options
  const client = s3Client(options)
  const objects = objectsOf(client)
  const names = namesIn(place.prefix)
  const times = timeMemory(mostRemembered)
  const hidden = new Set<string>()
  const unreachable = { add: (key: string) => void (hidden.size < mostUnreachable && hidden.add(key)) }
  const hiding = hidingFiles(objects, names)
  const probing = { client, objects, names, place }
  let found: Conditions | undefined
  let finding: Promise<Conditions> | undefined

  const find = async (): Promise<Conditions> => {
    try {
      found = await probeConditions(probing)
      return found
    } finally {
      finding = undefined
    }
  }
  const conditions = async (): Promise<Conditions> => {
    if (found !== undefined) return found
    finding ??= find()
    return finding
  }

  const listing = {
    ...{ objects, names, times, unreachable },
    pageSize: options.pageSize ?? 1000,
    mostTimes: options.mostTimes ?? usualTimes,
    mostNames: options.mostNames ?? usualNames,
    mostEmptyPages,
  }
  const parts = {
    ...{ objects, records, conditions, sizes, names },
    sending: semaphore(partsInMemory),
    keyOf: names.keyOf,
    bucket: place.bucket,
  }

  async function stat(path: VirtualPath): Promise<Entry | undefined> {
    if (path === rootPath) return folderEntry(names.prefixOf(path), '')
    if (!path.isWellFormed()) return undefined
    const key = names.keyOf(path)
    const [head, isHidden] = await Promise.all([objects.head(key), hiding.isBelowFile(path)])
    if (isHidden) return undefined
    if (head !== undefined && head.size > 0) return entryOf(key, head)
    if (await isFolder(path)) return folderEntry(names.prefixOf(path), nameOf(path))
    return head === undefined ? undefined : entryOf(key, head)
  }

  function entryOf(key: string, head: NonNullable<Awaited<ReturnType<typeof objects.head>>>): Entry {
    times.set(key, head)
    return fileEntry(key, head, timeIn(head))
  }

  async function isFolder(folder: VirtualPath): Promise<boolean> {
    const { objects: inside } = await objects.page(names.prefixOf(folder), { isFlat: true, most: 1 })
    return inside.length > 0
  }

  const mark = (folder: VirtualPath): Promise<unknown> =>
    objects.put(names.prefixOf(folder), new Uint8Array(), { 'content-type': 'application/x-directory' })

  /** A folder that is left empty is still there afterwards, as people expect. */
  async function keepParent(path: VirtualPath): Promise<void> {
    const parent = parentOf(path)
    if (parent === rootPath) return
    const { objects: inside } = await objects.page(names.prefixOf(parent), { isFlat: true, most: 2 })
    const own = [names.keyOf(path), names.prefixOf(path)]
    if (inside.every(({ key }) => own.includes(key))) await mark(parent)
  }

  return {
    get abilities() {
      const known = found ?? noConditions
      const weaknesses = weaknessesOf(known)
      if (hidden.size > 0)
        weaknesses.push(
          `${hidden.size === mostUnreachable ? 'At least ' : ''}${hidden.size} objects have names that are no paths (such as a//b or a/../b), or lie below a file; they are not shown.`,
        )
      return {
        atomicReplace: true,
        conditional: known.put && known.complete,
        foldsCase: false,
        symlinks: false,
        weaknesses,
      }
    },
    stat,
    list: (folder, signal) => listFolder(listing, folder, signal),
    listBelow: (folder, signal) => listBelow(listing, folder, signal),
    read: (path, entry, start, end) =>
      readObject(client, { key: names.keyOf(path), etag: etagIn(entry.version), start, end }),
    write: (path, bytes, write) => writeFile(parts, path, bytes, write),
    beginDraft: (path, id, begin) => beginDraft(parts, path, id, begin),
    openDraft: (path, id) => openDraft(parts, path, id),
    dropDraft: (path, id) => dropDraft(parts, path, id),
    async createFolder(folder) {
      if (folder !== rootPath) await mark(folder)
    },
    copyFile: (from, to, copy) => copyFile(parts, from, to, copy),
    // Only so: where the server encrypts, equal bytes may have different ETags.
    haveSameBytes: (one, two) => (one.size === two.size && etagIn(one.version) === etagIn(two.version)) || undefined,
    async removeFile(path, version) {
      const key = names.keyOf(path)
      const headers: Record<string, string> = {}
      if (version !== undefined) {
        const head = await objects.head(key)
        if (head === undefined) return
        requireSame(head, version)
        if ((await conditions()).remove) headers['if-match'] = `"${head.etag}"`
      }
      await keepParent(path)
      try {
        await objects.remove(key, headers)
      } catch (error) {
        if (isRefusal(error, 412)) throw new Failure('changed-meanwhile', 'The file was changed meanwhile')
        throw error
      }
    },
    removeFiles: (paths) => objects.removeAll(paths.map(names.keyOf)),
    async removeFolder(folder) {
      const prefix = names.prefixOf(folder)
      const { objects: inside } = await objects.page(prefix, { isFlat: true, most: 2 })
      if (inside.some(({ key }) => key !== prefix)) throw new Failure('already-exists', 'The folder is not empty')
      await keepParent(folder)
      await objects.remove(prefix)
    },
    addressOf: (path, _entry, { seconds, disposition, type }) =>
      client.addressOf(
        names.keyOf(path),
        { 'response-content-disposition': disposition, 'response-content-type': type },
        seconds,
      ),
    async probe() {
      const problem = await problemOf(probing, isReadOnly)
      if (problem === undefined && !isReadOnly) await conditions()
      return problem
    },
    close: client.close,
  }
}
