import { readdir, stat, unlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'

interface Kept {
  path: string
  size: number
  time: number
}

/** The part of the limit that is left filled, so that the next few pictures lead to no further trim. */
const filledAfterTrim = 0.9
const draftLifetime = 3_600_000

/** Brings a cache below its limit. Only files with the names of cached pictures are counted or removed. */
export async function trimCache(folder: string, limit: number, recentlyUsed: readonly string[]): Promise<void> {
  const now = new Date()
  // File systems are often mounted without access times.
  for (const path of recentlyUsed) await utimes(path, now, now).catch(() => {})
  const kept = await filesIn(folder, now.getTime())
  let total = kept.reduce((sum, { size }) => sum + size, 0)
  if (total <= limit) return
  kept.sort((a, b) => a.time - b.time)
  for (const { path, size } of kept) {
    if (total <= limit * filledAfterTrim) return
    await unlink(path).catch(() => {})
    total -= size
  }
}

/** How many bytes the pictures of a cache take. */
export async function cacheUsage(folder: string): Promise<number> {
  return (await filesIn(folder, 0)).reduce((sum, { size }) => sum + size, 0)
}

async function filesIn(folder: string, now: number): Promise<Kept[]> {
  const kept: Kept[] = []
  for (const first of await namesIn(folder, /^[0-9a-f]$/)) {
    for (const second of await namesIn(join(folder, first), /^[0-9a-f]{2}$/)) {
      const inside = join(folder, first, second)
      for (const name of await namesIn(inside, /^[0-9a-f]{64}(\..*\.draft)?$/)) {
        const path = join(inside, name)
        const found = await stat(path).catch(() => undefined)
        if (found === undefined) continue
        if (!name.endsWith('.draft')) kept.push({ path, size: found.size, time: found.mtimeMs })
        else if (found.mtimeMs < now - draftLifetime) await unlink(path).catch(() => {})
      }
    }
  }
  return kept
}

async function namesIn(folder: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => pattern.test(name))
}
