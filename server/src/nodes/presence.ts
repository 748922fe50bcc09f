import type { Presence } from '../database/port.ts'
import type { Node } from './node.ts'
import type { Siblings } from './siblings.ts'

export interface PresenceWatch {
  /** Looks now. */
  look(): Promise<void>
  /** Says to all other servers that rows of dead nodes were removed here. */
  tellDeaths(): Promise<void>
  close(): void
}

export interface WatchOptions {
  readonly node: Pick<Node, 'others' | 'isAlive' | 'foundDead'>
  readonly siblings: Siblings
  /** Undefined where only the processes of this machine can be seen. */
  readonly presence: Presence | undefined
  /** Nodes have left, or were found dead here or by their heartbeats: what they left is taken over. */
  readonly died: () => void
  /** In milliseconds. */
  readonly every?: number
}

/** So many looks in a row: a connection that broke is opened again within seconds. */
const mostAbsent = 3
const topic = 'are you there'
/** The server that has to take over may not have seen those nodes, which came and died between two of its looks. */
const deaths = 'nodes have died'

/**
 * Finds dead nodes sooner than their heartbeats end: a process of this machine that is gone, or a node without a connection
 * to the database that answers no question. A connection alone decides nothing, since it breaks for many reasons.
 */
export function watchOthers({ node, siblings, presence, died, every = 2000 }: WatchOptions): PresenceWatch {
  const absences = new Map<string, number>()
  let known: readonly string[] = []
  siblings.answer(topic, () => true)
  siblings.answer(deaths, () => died())

  async function isDead(id: string): Promise<boolean> {
    const [answer] = await siblings.ask(topic, null, id)
    const count = answer === true ? 0 : (absences.get(id) ?? 0) + 1
    absences.set(id, count)
    return count >= mostAbsent
  }

  async function look(): Promise<void> {
    const others = node.others()
    const before = known
    known = others
    if (before.some((id) => !others.includes(id))) died()
    if (others.length === 0) return absences.clear()
    const gone = others.filter((id) => !node.isAlive(id))
    // A node that has lost its own connection knows nothing of those of others: the database itself may have been away.
    const absent = presence?.isHeld ? await presence.absent(others) : []
    for (const id of absences.keys()) if (!absent.includes(id)) absences.delete(id)
    const dead = await Promise.all(absent.map(async (id) => ((await isDead(id)) ? [id] : [])))
    const all = new Set([...gone, ...dead.flat()])
    if (all.size === 0) return
    for (const id of all) await node.foundDead(id)
    known = node.others()
    await siblings.tell(deaths, null)
    died()
  }

  let isLooking = false
  const timer = setInterval(async () => {
    if (isLooking) return
    isLooking = true
    await look().catch(() => {})
    isLooking = false
  }, every).unref()
  return { look, tellDeaths: () => siblings.tell(deaths, null), close: () => clearInterval(timer) }
}
