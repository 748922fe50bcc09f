import { Failure } from '../failure.ts'

/** A semaphore with a queue for each lane, so that one network cannot fill the queue of the others. */
export interface FairQueue {
  /** Work that is dropped because too many wait fails with `unavailable`. */
  run<T>(lane: string, work: () => Promise<T>): Promise<T>
}

export interface QueueLimits {
  /** How many run at once, and how many of those for one lane. */
  places: number
  placesPerLane?: number
  mostWaiting: number
  mostWaitingPerLane: number
}

interface Waiting {
  begin(): void
  drop(): void
}

/** The lane of signed-in users: served in order, and never dropped. */
export const signedInLane = 'signed in'

const retryAfter = 2

/**
 * The next permit goes to the lane that was served longest ago, and in it to the newest: its client is most likely still
 * there, while the oldest of a flood are dropped. Without a flood, all are served before the order matters.
 */
export function fairQueue({ places, placesPerLane = places, mostWaiting, mostWaitingPerLane }: QueueLimits): FairQueue {
  const lanes = new Map<string, Waiting[]>()
  const running = new Map<string, number>()
  /** When a lane was served last, in places given so far. The oldest are forgotten. */
  const served = new Map<string, number>()
  let given = 0
  let [inUse, waiting] = [0, 0]

  function enter(lane: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const drop = () => reject(new Failure('unavailable', 'Too many sign in at once', { retryAfter }))
      const queue = lanes.get(lane) ?? []
      lanes.set(lane, queue)
      queue.push({ begin: resolve, drop })
      if (lane !== signedInLane) waiting += 1
      if (lane !== signedInLane && queue.length > mostWaitingPerLane) dropOldestOf(lane)
      else if (waiting > mostWaiting) dropOldestOf(longestLane())
      serveNext()
    })
  }

  function dropOldestOf(lane: string | undefined): void {
    if (lane === undefined) return
    take(lane, 'oldest')?.drop()
  }

  const longestLane = (): string | undefined =>
    [...lanes].filter(([lane]) => lane !== signedInLane).sort(([, a], [, b]) => b.length - a.length)[0]?.[0]

  function take(lane: string, which: 'oldest' | 'newest'): Waiting | undefined {
    const queue = lanes.get(lane)
    const taken = which === 'oldest' || lane === signedInLane ? queue?.shift() : queue?.pop()
    if (queue?.length === 0) lanes.delete(lane)
    if (taken !== undefined && lane !== signedInLane) waiting -= 1
    return taken
  }

  function serveNext(): void {
    while (inUse < places) {
      const lane = nextLane()
      if (lane === undefined) return
      const next = take(lane, 'newest')
      given += 1
      served.delete(lane)
      served.set(lane, given)
      if (served.size > rememberedLanes) served.delete(served.keys().next().value ?? '')
      inUse += 1
      running.set(lane, (running.get(lane) ?? 0) + 1)
      next?.begin()
    }
  }

  function nextLane(): string | undefined {
    let [best, servedAt]: [string | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const lane of lanes.keys()) {
      const at = served.get(lane) ?? 0
      // Of those that were never served, the newest.
      if ((running.get(lane) ?? 0) < placesPerLane && (at < servedAt || at === 0)) [best, servedAt] = [lane, at]
    }
    return best
  }

  function leave(lane: string): void {
    inUse -= 1
    const left = (running.get(lane) ?? 1) - 1
    if (left === 0) running.delete(lane)
    else running.set(lane, left)
    serveNext()
  }

  return {
    async run(lane, work) {
      await enter(lane)
      try {
        return await work()
      } finally {
        leave(lane)
      }
    },
  }
}

const rememberedLanes = 1024
