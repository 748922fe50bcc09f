import { deadline } from '../concurrency/deadline.ts'
import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'
import type { RemoteMount } from '../storage/remote/mounted.ts'
import type { ThreadedScopes } from '../storage/threads/scopes.ts'
import type { KnownMount } from './checks.ts'
import type { MountFacts } from './store.ts'

/** The folders of a disk, or the files of a server elsewhere: `kind` tells them apart. */
export type Behind = ThreadedScopes | RemoteMount

/** A root beside the first one, and whether it is there. */
export interface ServedMount {
  readonly facts: MountFacts
  /** Its name has changed, which what stands behind it does not know. */
  update(facts: MountFacts): void
  /** What stands behind it, also while that is away; undefined until a server elsewhere has answered. */
  readonly behind: Behind | undefined
  /** Refuses while it is not there. */
  served(): Behind
  /** Why it is not there; undefined while it is. Last known. */
  problem(): string | undefined
  /** For comparing it with others. */
  known(): KnownMount
  /** Looks again, without waiting for what does not answer. Never fails. */
  look(): Promise<void>
  /** Ends what stands behind it once nothing is under way there. */
  retire(): void
  close(): void
}

/** What differs between kinds of mounts. */
export interface MountKind {
  readonly behind: Behind | undefined
  /** Why it cannot be served, or undefined. What fails or never ends is a reason, too. */
  find(facts: MountFacts, now: Now): Promise<string | undefined>
  /** For comparing it with others. */
  known(facts: MountFacts): KnownMount
  /** In milliseconds: one that has not answered by then is away until it does. */
  readonly longestLook: number
  /** In milliseconds, since the last look: when is the next one due? `times` is how often in a row it was found to be away. */
  pause(times: number): number
  /** For callers, while it is away. */
  readonly away: string
  /** For administrators, when a look takes too long. */
  readonly silent: string
}

interface Now {
  readonly isAway: boolean
  /** What is opened after the mount was given up has to be closed. */
  isOver(): boolean
  /** Something could not be done there: it is looked at soon. */
  lost(): void
}

/** In milliseconds: so long after the last task a mount that was taken away still serves what is open. */
const retireAfter = 5000
/** In milliseconds: so long after a look the next one comes, also of one that fails with every request. */
const leastPause = 5000

/** What is open in it is served on, until nothing is under way there. */
export interface Retired {
  retire(old: Behind): void
  close(): void
}

export function retiredMounts(): Retired {
  const retired = new Set<Behind>()
  return {
    retire(old) {
      let idleSince = performance.now()
      retired.add(old)
      const waiting = setInterval(() => {
        if (old.isBusy()) idleSince = performance.now()
        if (performance.now() - idleSince < retireAfter) return
        clearInterval(waiting)
        if (retired.delete(old)) old.close()
      }, 500).unref()
    },
    close() {
      for (const old of retired) old.close()
      retired.clear()
    },
  }
}

export function servedMount(
  stored: MountFacts,
  kind: MountKind,
  { log, retired }: { log: Pick<Log, 'info' | 'warn'>; retired: Retired },
): ServedMount {
  let facts = stored
  let isOver = false
  const notLooked = 'It has not been looked at yet'
  let problem: string | undefined = notLooked
  let looking: Promise<string | undefined> | undefined
  let timesAway = 0
  let lookedAt = 0
  let dueAt = 0

  function tell(found: string | undefined): void {
    const before = problem
    timesAway = found === undefined ? 0 : timesAway + 1
    lookedAt = performance.now()
    dueAt = lookedAt + kind.pause(timesAway)
    if (isOver || found === before) return
    problem = found
    const about = { event: 'mount', mount: facts.name, folder: facts.folder }
    if (found !== undefined) log.warn({ ...about, reason: found }, 'A mount is not there')
    else if (before !== notLooked) log.info(about, 'A mount is there again')
  }

  function lost(): void {
    if (problem === undefined) dueAt = Math.min(dueAt, lookedAt + leastPause)
  }

  const end = (how: (behind: Behind) => void) => {
    isOver = true
    if (kind.behind !== undefined) how(kind.behind)
  }

  return {
    get facts() {
      return facts
    },
    update(changed) {
      facts = changed
    },
    get behind() {
      return kind.behind
    },
    served() {
      if (problem !== undefined || kind.behind === undefined)
        throw new Failure('unavailable', kind.away, { retryAfter: 10 })
      return kind.behind
    },
    problem: () => problem,
    known: () => kind.known(facts),
    async look() {
      if (isOver || performance.now() < dueAt) return
      // One that hangs is not begun a second time; it may still come back.
      looking ??= kind
        .find(facts, { isAway: problem !== undefined, isOver: () => isOver, lost })
        .catch((error: unknown) => (error instanceof Failure ? error.message : String(error)))
        .finally(() => {
          looking = undefined
        })
      tell(await deadline(looking, kind.longestLook, kind.silent))
    },
    retire: () => end(retired.retire),
    close: () => end((behind) => behind.close()),
  }
}
