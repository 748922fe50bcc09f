import { deadline } from '../concurrency/deadline.ts'
import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'
import { diskAway } from '../storage/disk/base.ts'
import type { PlaceFacts } from '../storage/disk/server-folders.ts'
import type { ThreadedScopes } from '../storage/threads/scopes.ts'
import { type KnownMount, refusalOf, refusalOfWay } from './checks.ts'
import type { MountFacts } from './store.ts'

/** A root beside the first one, and whether it is there. */
export interface FurtherMount {
  readonly facts: MountFacts
  /** Its name has changed, which its threads do not know. */
  update(facts: MountFacts): void
  /** Its threads, also while it is away. */
  readonly scopes: ThreadedScopes
  /** Refuses while it is not there. */
  served(): ThreadedScopes
  /** Why it is not there; undefined while it is. Last known. */
  problem(): string | undefined
  /** For comparing it with others. */
  known(): KnownMount
  /** Looks again, without waiting for a disk that does not answer. Never fails. */
  look(): Promise<void>
  /** Ends the threads once nothing is under way in them. */
  retire(): void
  close(): void
}

/** In milliseconds: a disk that has not answered by then is away until it does. */
const longestLook = 3000
/** In milliseconds: so long after the last task a mount that was taken away still serves what is open. */
const retireAfter = 5000

export interface FurtherDeps {
  /** Makes the threads of a root. */
  open(facts: MountFacts): ThreadedScopes
  /** The older mounts: of two that cannot be beside each other the older one stays. */
  older(): readonly KnownMount[]
  /** Full names of what the server keeps for itself. */
  own: readonly string[]
  /** Its root is another one by now. */
  moved(): void
  log: Pick<Log, 'info' | 'warn'>
}

export function furtherMount(stored: MountFacts, { open, older, own, moved, log }: FurtherDeps): FurtherMount {
  let facts = stored
  let scopes = open(facts)
  const retired = new Set<ThreadedScopes>()
  let isOver = false
  let place: PlaceFacts | undefined
  const notLooked = 'It has not been looked at yet'
  let problem: string | undefined = notLooked
  let looking: Promise<string | undefined> | undefined

  /** What a crash left half written on the disk is not read before its threads know of it. */
  async function find(): Promise<string | undefined> {
    const { server } = scopes
    const [found, places] = await Promise.all([server.inspectFolder(facts.folder), server.inspectPlaces(own)])
    const around = { mounts: older(), own: places.filter((place) => place !== null) }
    const refusal = refusalOf(found, around) ?? refusalOfWay(found, around)
    if (refusal !== undefined) return refusal
    if (found.real !== facts.folder && facts.source === 'stored') return 'A symlink has taken the place of the folder'
    if (found.real !== scopes.root) moveTo(found.real)
    place = found
    if (await scopes.isVolumeGone()) return diskAway
    if (problem !== undefined) await scopes.guardHalfWritten()
    return undefined
  }

  /** A symlink of the administrator leads elsewhere by now. */
  function moveTo(folder: string): void {
    if (isOver) return
    const before = scopes
    scopes = open({ ...facts, folder })
    moved()
    retire(before)
  }

  function retire(old: ThreadedScopes): void {
    let idleSince = performance.now()
    retired.add(old)
    const waiting = setInterval(() => {
      if (old.isBusy()) idleSince = performance.now()
      if (performance.now() - idleSince < retireAfter) return
      clearInterval(waiting)
      retired.delete(old)
      old.close()
    }, 500).unref()
  }

  function tell(found: string | undefined): void {
    const before = problem
    if (isOver || found === before) return
    problem = found
    const about = { event: 'mount', mount: facts.name, folder: facts.folder }
    if (found !== undefined) log.warn({ ...about, reason: found }, 'A mount is not there')
    else if (before !== notLooked) log.info(about, 'A mount is there again')
  }

  return {
    get facts() {
      return facts
    },
    update(changed) {
      facts = changed
    },
    get scopes() {
      return scopes
    },
    served() {
      if (problem !== undefined) throw new Failure('unavailable', diskAway, { retryAfter: 10 })
      return scopes
    },
    problem: () => problem,
    known: () => ({ id: facts.id, name: facts.name, folder: facts.folder, place }),
    async look() {
      // One that hangs is not begun a second time; it may still come back.
      looking ??= find()
        .catch((error: unknown) => (error instanceof Failure ? error.message : String(error)))
        .finally(() => {
          looking = undefined
        })
      tell(await deadline(looking, longestLook, 'The disk does not answer'))
    },
    retire() {
      isOver = true
      retire(scopes)
    },
    close() {
      isOver = true
      for (const some of [scopes, ...retired]) some.close()
    },
  }
}
