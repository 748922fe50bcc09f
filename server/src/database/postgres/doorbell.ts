import { Client, type ClientConfig, type Pool } from 'pg'
import type { Doorbell, Presence } from '../port.ts'
import { toFailure } from './refusals.ts'

const channel = 'filestead'

/** In milliseconds. Together shorter than others wait for a node without its lock when the database is back. */
const [shortestPause, longestPause] = [200, 1000]
const longestConnecting = 2000
const longestBeginning = 5000
/** After so long without an answer, others that have one may be about to take this node for dead. */
const longestUnanswered = 3000

/** Any number that no other program over the same database would choose. */
const lockClass = 1_718_187_108

const holdLock = `select pg_try_advisory_lock_shared(${lockClass}, hashtext($1))`
const isPresent = `exists (select from pg_locks
  where locktype = 'advisory' and granted and classid = ${lockClass} and objid = hashtext(id)::oid and objsubid = 2
  and database = (select oid from pg_database where datname = current_database()))`
const findAbsent = `select id from unnest($1::text[]) as node (id) where not ${isPresent}`

/** The nodes that hold their lock. */
export const findPresent = `select host, version from node where ${isPresent} order by host`

export const findNodes = `select host, version, ${isPresent} as "isPresent" from node order by host, started_at`

export interface Listening extends Doorbell {
  readonly presence: Presence
  close(): Promise<void>
}

/**
 * LISTEN and NOTIFY, and the lock of a node, on one connection. It is opened for the first that needs it and opened again
 * when it breaks; all listeners are called then, since what rang meanwhile was not heard. The lock is one that can be
 * shared: the server may not have noticed yet that the connection before is gone.
 */
export function doorbellOver(pool: Pool, settings: ClientConfig): Listening {
  const listeners = new Set<() => void>()
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let pause = shortestPause
  let isClosed = false
  let node: string | undefined
  let isHeld: boolean | undefined
  /** Questions about the lock that are not answered for long. */
  let doubts = 0

  const tell = () => {
    for (const take of listeners) take()
  }

  async function open(): Promise<void> {
    const limits = { connectionTimeoutMillis: longestConnecting, query_timeout: longestBeginning }
    const opening = new Client({ ...settings, ...limits })
    client = opening
    opening.on('error', () => lost(opening))
    opening.on('end', () => lost(opening))
    opening.on('notification', tell)
    try {
      await opening.connect()
      await opening.query(`listen ${channel}`)
      if (node !== undefined) await hold(opening, node)
      pause = shortestPause
      tell()
    } catch {
      lost(opening)
    }
  }

  async function hold(by: Client, id: string): Promise<void> {
    await by.query(holdLock, [id])
    isHeld = true
  }

  function start(): void {
    if (client === undefined && timer === undefined && !isClosed) void open()
  }

  function lost(which: Client): void {
    if (client !== which) return
    client = undefined
    if (isHeld) isHeld = false
    void which.end().catch(() => {})
    if (isClosed || (listeners.size === 0 && node === undefined)) return
    timer = setTimeout(() => {
      timer = undefined
      void open()
    }, pause)
    timer.unref()
    pause = Math.min(2 * pause, longestPause)
  }

  return {
    async ring() {
      try {
        await pool.query(`notify ${channel}`)
      } catch (error) {
        throw toFailure(error)
      }
    },
    onRing(take) {
      listeners.add(take)
      start()
      return () => void listeners.delete(take)
    },
    presence: {
      hold(id) {
        node = id
        if (client === undefined) start()
        else void hold(client, id).catch(() => {})
      },
      get isHeld() {
        return doubts > 0 ? false : isHeld
      },
      async absent(ids) {
        const held = isHeld ? client : undefined
        let isDoubted = false
        const doubting = setTimeout(() => {
          isDoubted = true
          doubts += 1
        }, longestUnanswered).unref()
        try {
          const { rows } = await pool.query<{ id: string }>(findAbsent, [
            [...ids, ...(node === undefined ? [] : [node])],
          ])
          // The connection is gone for the server, which this side was not told: others would take this node for dead.
          if (held !== undefined && rows.some(({ id }) => id === node)) lost(held)
          return rows.map(({ id }) => id).filter((id) => id !== node)
        } catch (error) {
          throw toFailure(error)
        } finally {
          clearTimeout(doubting)
          if (isDoubted) doubts -= 1
        }
      },
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      const open = client
      client = undefined
      await open?.end().catch(() => {})
    },
  }
}
