import { mkdirSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isInside } from '@filestead/contract'
import { LruMap } from '../lru-map.ts'
import { trimCache } from './cache-trim.ts'

/** Pictures that were made before. Any of them may be removed at any time. */
export interface PreviewCache {
  read(key: string): Promise<Uint8Array<ArrayBuffer> | undefined>
  write(key: string, bytes: Uint8Array): Promise<void>
}

export const noCache: PreviewCache = { read: async () => undefined, write: async () => {} }

/** Where in the cache folder previews lie; undefined if it cannot be made: previews are then made each time. */
export function makeCacheFolder(cacheDir: string): string | undefined {
  if (cacheDir === '') return undefined
  const folder = cacheFolderIn(cacheDir)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return folder
  } catch {
    return undefined
  }
}

export const cacheFolderIn = (cacheDir: string): string => join(cacheDir, 'previews')

/** Folders that must not be served. Of a cache folder that holds the served files, only the part with the previews. */
export function cachePlaces({ cacheDir, root }: { cacheDir: string; root: string }): string[] {
  const folder = makeCacheFolder(cacheDir)
  if (folder === undefined) return []
  return [isInside(root, cacheDir) ? folder : cacheDir]
}

const checksumLength = 4

/** LRU cache in a folder, and of a few pictures in memory as well. Keys are hexadecimal. */
export function cacheIn(folder: string, limit: number): PreviewCache {
  const used = new Set<string>()
  /** Pictures of a page that many have open are read once. */
  const recent = new LruMap<string, Uint8Array<ArrayBuffer>>(mostInMemory, (_, { length }) => length)
  let writtenSinceTrim = Number.POSITIVE_INFINITY
  let drafts = 0

  async function trimIfDue(added: number): Promise<void> {
    writtenSinceTrim += added
    if (writtenSinceTrim < limit / 20) return
    writtenSinceTrim = 0
    const files = [...used].map((key) => fileOf(folder, key))
    used.clear()
    await trimCache(folder, limit, files)
  }

  return {
    async read(key) {
      const known = recent.get(key)
      if (known !== undefined) return known
      try {
        const bytes = await Bun.file(fileOf(folder, key)).bytes()
        const picture = bytes.subarray(checksumLength)
        if (picture.length === 0 || !checksumOf(picture).equals(bytes.subarray(0, checksumLength))) return undefined
        if (used.size < 10_000) used.add(key)
        if (picture.length <= largestInMemory) recent.set(key, picture)
        return picture
      } catch {
        return undefined
      }
    },

    async write(key, bytes) {
      const file = fileOf(folder, key)
      const draft = `${file}.${process.pid}-${drafts}.draft`
      drafts += 1
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        // Not synced: a picture that a power cut left incomplete has the wrong checksum, and is made again.
        await writeFile(draft, Buffer.concat([checksumOf(bytes), bytes]), { mode: 0o600 })
        await rename(draft, file)
        await trimIfDue(bytes.length)
      } catch {
        // A full disk, or a folder that was removed: the picture is made again the next time.
      }
    },
  }
}

/** In bytes. */
const mostInMemory = 2 << 20
const largestInMemory = 64 << 10

const fileOf = (folder: string, key: string): string => join(folder, key.slice(0, 1), key.slice(1, 3), key)

function checksumOf(bytes: Uint8Array): Buffer {
  const checksum = Buffer.alloc(checksumLength)
  checksum.writeUInt32LE(Bun.hash.crc32(bytes))
  return checksum
}
