import { mkdirSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isInside } from '@filestead/contract'
import { trimCache } from './cache-trim.ts'

/** Pictures that were made once. Forgetting any of them is always right. */
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

/** What must not be served. A cache folder that holds the files themselves is spared but for our own part of it. */
export function cachePlaces({ cacheDir, root }: { cacheDir: string; root: string }): string[] {
  const folder = makeCacheFolder(cacheDir)
  if (folder === undefined) return []
  return [isInside(root, cacheDir) ? folder : cacheDir]
}

const checksumLength = 4

/** Keys are hexadecimal. What was not asked for longest goes first when `limit` bytes are exceeded. */
export function cacheIn(folder: string, limit: number): PreviewCache {
  const used = new Set<string>()
  let unchecked = Number.POSITIVE_INFINITY
  let drafts = 0

  async function trimNowAndThen(added: number): Promise<void> {
    unchecked += added
    if (unchecked < limit / 20) return
    unchecked = 0
    const recent = [...used]
    used.clear()
    await trimCache(
      folder,
      limit,
      recent.map((key) => placeOf(folder, key)),
    )
  }

  return {
    async read(key) {
      try {
        const bytes = await Bun.file(placeOf(folder, key)).bytes()
        const picture = bytes.subarray(checksumLength)
        if (picture.length === 0 || !checksumOf(picture).equals(bytes.subarray(0, checksumLength))) return undefined
        if (used.size < 10_000) used.add(key)
        return picture
      } catch {
        return undefined
      }
    },

    async write(key, bytes) {
      const place = placeOf(folder, key)
      const draft = `${place}.${process.pid}-${drafts}.draft`
      drafts += 1
      try {
        await mkdir(dirname(place), { recursive: true, mode: 0o700 })
        // Not synced: a picture that a power cut left incomplete has the wrong checksum, and is made again.
        await writeFile(draft, Buffer.concat([checksumOf(bytes), bytes]), { mode: 0o600 })
        await rename(draft, place)
        await trimNowAndThen(bytes.length)
      } catch {
        // A full disk, or a folder that is gone: the picture was made, and will be made again.
      }
    },
  }
}

const placeOf = (folder: string, key: string): string => join(folder, key.slice(0, 1), key.slice(1, 3), key)

function checksumOf(bytes: Uint8Array): Buffer {
  const checksum = Buffer.alloc(checksumLength)
  checksum.writeUInt32LE(Bun.hash.crc32(bytes))
  return checksum
}
