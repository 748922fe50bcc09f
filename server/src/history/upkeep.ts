import type { KeepStore } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { coalesce } from '../concurrency/coalesce.ts'
import { deadline } from '../concurrency/deadline.ts'
import { timeSlices, yieldToLoop } from '../concurrency/time-slices.ts'
import type { Database } from '../database/schema.ts'
import { ignoring } from '../failure.ts'
import { usualHistory } from '../mounts/history.ts'
import { locationIn } from '../mounts/location.ts'
import type { Mounts } from '../mounts/mounts.ts'
import type { MountFacts } from '../mounts/store.ts'
import { inFolder, rootPath, type VirtualPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { noteNoRoom } from './operations/store.ts'
import { purgeItem } from './purging.ts'
import { reconcile } from './reconcile.ts'
import { endedTrash, endedVersions, isNeeded, type Retained, type Space } from './retention.ts'
import { type KeptItem, keptWithId, retainedIn, saveSize, unmeasured } from './store.ts'

export interface UpkeepDeps {
  readonly db: Kysely<Database>
  readonly mounts: Pick<Mounts, 'all' | 'isAway'>
  storageAt(base: string): Storage
  /** In milliseconds since 1970. */
  now(): number
  /** In milliseconds since the process began. */
  running?: () => number
  /** Of several processes one does the work of all: is it this one? */
  isInCharge(): Promise<boolean>
  /** What is kept is different: clients that show it are told. */
  changed(): void
}

export interface Upkeep {
  /** A step of the cleanup, which comes every minute: the whole work at the start and every hour. */
  sweep(): Promise<void>
  /** Looks at the stores of these mounts beside the answer, unless that was done a moment ago. */
  lookSoon(mounts: readonly number[]): void
  /** A folder was kept: how much is in it is found out beside the answer. */
  measureSoon(): void
  /** Ends kept things beside the answer. What cannot be ended now is left to the sweep. */
  purgeSoon(items: readonly KeptItem[]): void
  close(): Promise<void>
}

/** In milliseconds. */
const sweepEvery = 3_600_000
const lookEvery = 10_000
const longestClose = 2000
const measureAfter = 500
const betweenPurges = 100
/** Of the running time of the process: so long an item is due before it goes. */
const leastDue = 60_000
/** So many are ended without a pause in between. */
const purgesInARow = 100
/** So many folders are measured in one sweep. */
const mostMeasured = 500
const rowsAtOnce = 2000

/** Keeps the rows and what lies in the stores in step, and ends what was kept long enough. */
export function upkeepOf(deps: UpkeepDeps): Upkeep {
  const { db, mounts, running = () => performance.now() } = deps
  const closing = new AbortController()
  const looked = new Map<number, number>()
  const under = new Set<Promise<unknown>>()
  /**
   * When this process first found that an item is to go. The time of day alone does not decide: a clock that jumps ahead must
   * not end at once what was kept a moment ago.
   */
  let dueSince = new Map<string, number>()
  const stillDue = new Map<string, number>()
  let swept: number | undefined
  let measuring: NodeJS.Timeout | undefined

  const beside = (work: Promise<unknown>): void => {
    const quiet = work.catch(() => {})
    under.add(quiet)
    void quiet.finally(() => under.delete(quiet))
  }

  async function look(mount: number): Promise<void> {
    looked.set(mount, running())
    if (await reconcile(deps, mount, closing.signal)) deps.changed()
    await measure()
  }

  const measure = coalesce(measureAll)

  /** Of folders, how much is in them: walked beside all else, since a removal looks at nothing below. */
  async function measureAll(): Promise<void> {
    for (const item of await unmeasured(db, mostMeasured)) {
      closing.signal.throwIfAborted()
      if (mounts.isAway(item.mount)) continue
      const storage = deps.storageAt(locationIn(item.mount, rootPath))
      const size = await sizeBelow(storage, item.place, closing.signal).catch(() => undefined)
      if (size === undefined) continue
      await saveSize(db, item.id, size)
      deps.changed()
    }
  }

  async function retain(mount: MountFacts): Promise<void> {
    const { history = usualHistory, id } = mount
    if (mount.readOnly) return
    const space = await spaceOf(deps.storageAt(locationIn(id, rootPath)))
    const facts = { history, space, now: deps.now() }
    const ended = [
      ...endedTrash(await retained(id, 'trash'), facts),
      ...endedVersions(await retained(id, 'versions'), facts),
    ]
    let count = 0
    for (const each of ended) {
      const at = running()
      const since = dueSince.get(each) ?? at
      stillDue.set(each, since)
      if (at - since < leastDue) continue
      closing.signal.throwIfAborted()
      const item = await keptWithId(db, each)
      if (item !== undefined) {
        if (isNeeded(item, facts.now)) await noteNoRoom(db, locationIn(item.mount, item.place))
        await purgeItem(deps, item, { signal: closing.signal })
      }
      stillDue.delete(each)
      count += 1
      if (count % purgesInARow === 0) await Bun.sleep(betweenPurges)
    }
    if (count > 0) deps.changed()
  }

  async function retained(mount: number, store: KeepStore): Promise<Retained[]> {
    const found: Retained[] = []
    for (;;) {
      const rows = await retainedIn(db, mount, store, found.at(-1), rowsAtOnce)
      found.push(...rows)
      if (rows.length < rowsAtOnce) return found
      await yieldToLoop()
    }
  }

  return {
    async sweep() {
      const at = running()
      if (swept !== undefined && at - swept < sweepEvery) return
      if (!(await deps.isInCharge())) return
      const isFirst = swept === undefined
      swept = at
      stillDue.clear()
      let failure: unknown
      for (const mount of await mounts.all()) {
        closing.signal.throwIfAborted()
        if (mounts.isAway(mount.id)) continue
        try {
          await look(mount.id)
          await retain(mount)
        } catch (error) {
          // Of one mount: the others have their turn.
          failure ??= error
        }
      }
      dueSince = new Map(stillDue)
      // What was found to be due at the start goes a minute later, and not an hour.
      if (isFirst) swept = at - sweepEvery + leastDue
      if (failure !== undefined) throw failure
    },
    lookSoon(ids) {
      for (const mount of ids) {
        const last = looked.get(mount)
        if (mounts.isAway(mount) || (last !== undefined && running() - last < lookEvery)) continue
        looked.set(mount, running())
        beside(look(mount))
      }
    },
    measureSoon() {
      measuring ??= setTimeout(() => {
        measuring = undefined
        beside(measure())
      }, measureAfter).unref()
    },
    purgeSoon(items) {
      if (items.length > 0)
        beside(
          (async () => {
            for (const item of items) await purgeItem(deps, item, { signal: closing.signal })
          })(),
        )
    },
    async close() {
      closing.abort()
      clearTimeout(measuring)
      // A disk that does not answer keeps no server from ending.
      await deadline(Promise.all(under), longestClose, undefined)
    },
  }
}

async function spaceOf(storage: Storage): Promise<Space | undefined> {
  if (!storage.capabilities.space) return undefined
  const { total, used } = await storage.usage(rootPath)
  return total === 0 ? undefined : { total, free: Math.max(0, total - used) }
}

/** In bytes, of all files. What cannot be read counts nothing. */
async function sizeBelow(storage: Storage, top: VirtualPath, signal: AbortSignal): Promise<number> {
  const pause = timeSlices(signal)
  let size = 0
  for (const folders = [top]; folders.length > 0; ) {
    const folder = folders.pop() ?? top
    signal.throwIfAborted()
    const listing = await storage.list(folder, signal, { isOnce: true }).catch(ignoring('forbidden', 'not-found'))
    for (const entry of listing?.entries ?? [])
      if (entry.kind === 'folder' && !entry.isLink) folders.push(inFolder(folder, entry.exact ?? entry.name))
      else if (entry.kind === 'file') size += entry.size
    await pause()
  }
  return size
}
