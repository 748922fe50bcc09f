import type { Cluster, ServingNode } from './nodes.ts'
import type { Random } from './random-changes.ts'

/** Kills the servers of a cluster at random moments, one at a time and at last all of them, and starts them again. */
export interface Kills {
  /** Those that answer now. */
  readonly alive: readonly ServingNode[]
  readonly count: number
  /** Was at least one there all the time since this moment? */
  wasServed(since: number): boolean
  /** Until so many have been killed and the time is over, with pauses of at most so many milliseconds in between. */
  run(plan: { kills: number; until: number; pause: number }): Promise<void>
}

/** In milliseconds: nginx leaves one that did not answer out for a second, and must have the other one back by then. */
const shortest = 1200

export function killsIn(cluster: Cluster, random: Random): Kills {
  const alive = [...cluster.nodes]
  let count = 0
  let lastUnserved = 0

  async function kill(victims: readonly ServingNode[]): Promise<void> {
    for (const victim of victims) alive.splice(alive.indexOf(victim), 1)
    const isLast = alive.length === 0
    await Promise.all(victims.map((victim) => victim.kill()))
    count += victims.length
    // Sometimes it is back before the others have noticed, sometimes long after.
    await Bun.sleep(random(3) === 0 ? 0 : random(2500))
    alive.push(...(await Promise.all(victims.map(({ url }) => cluster.start(Number(new URL(url).port))))))
    if (isLast) lastUnserved = Date.now()
    await Bun.sleep(shortest)
  }

  return {
    alive,
    get count() {
      return count
    },
    wasServed: (since) => alive.length > 0 && since > lastUnserved + shortest,
    async run(plan) {
      await Bun.sleep(random(1000))
      while (count < plan.kills || Date.now() < plan.until) {
        const [victim] = alive.slice(random(alive.length))
        if (victim !== undefined) await kill([victim])
        await Bun.sleep(random(plan.pause))
        if (random(12) === 0) await kill([...alive])
      }
      await kill([...alive])
    },
  }
}
