import { hostname } from 'node:os'
import type { Kysely } from 'kysely'
import { type Clock, systemClock } from '../clock.ts'
import { lastNumber } from '../database/counters.ts'
import { isOfNewerVersion } from '../database/migrations/migrations.ts'
import { isOnOneKernel, presenceOf } from '../database/port.ts'
import type { Database, NodeRow } from '../database/schema.ts'
import { version } from '../version.ts'
import { isLockId, type KernelLock, lockIn } from './kernel-lock.ts'
import { leasesAfter } from './leases.ts'
import { isRunning, kernelId, ownProcess } from './processes.ts'
import { allNodes, countBeat, deleteNode, startAnew } from './store.ts'

/** One server process, or one command, among those that work on a database. Rows of unfinished work name theirs. */
export interface Node {
  readonly id: string
  /** The run of the kernel that it is on; another one after every boot. Empty where that cannot be told. */
  readonly kernel: string
  /** May the node with this id still be at work? Then its unfinished work is left alone. */
  isAlive(id: string | null): boolean
  /**
   * The same for the steps that bring to an end what dead nodes left. They rely on each other and must not meet those of
   * another server: all of them are left to the first server, as long as it is sure that no other has taken its place, and a
   * node that was alive when the round began, which is with `renew`, counts as alive until the next one.
   */
  readonly recovering: Pick<Node, 'id' | 'isAlive' | 'isSure'>
  /**
   * Called every minute, as the first step of a round: renews the lease, and removes the rows of nodes that have ended. Answers
   * whether there were any.
   */
  renew(): Promise<boolean>
  /** Whether another server holds its lock on this database. */
  hasOthers(): Promise<boolean>
  /** Of all servers that are alive, is it the one that began first? It does what one alone has to do. */
  isFirst(): Promise<boolean>
  /**
   * Goes to the end of the line, so that another server is the first: this one was not able to bring its round to an end.
   * What it left hanging goes on when its disk does, which harms nothing: each step ends what it is at, and takes nothing else.
   */
  passOn(): Promise<void>
  /** The other servers that are alive, as far as is known since the last beat. Always empty where the locks decide. */
  others(): readonly string[]
  /** Reads again which servers there are: another one has said that it came or went. */
  refresh(): Promise<void>
  /** Another server was found dead in another way than by its lease. */
  foundDead(id: string): Promise<void>
  /**
   * Is it certain that no other server takes this one for dead? Not after a pause that may have cost it its lease: what it
   * was doing is done by another one by then, and it must not go on before the next beat.
   */
  isSure(): boolean
  leave(): Promise<void>
}

export interface NodeOptions {
  /** For a server, which has a row. A command is too short for heartbeats; servers judge it by its lock or process. */
  db?: Kysely<Database>
  clock?: Clock
  /** Called when another node has found the lease ended: unfinished work of this node may have been removed. */
  leaseLost?: () => void
  /** Called when a newer version has changed the tables: this node cannot go on. */
  outdated?: () => void
  lock?: (folder: string) => KernelLock | undefined
  /** In seconds: a server that only heartbeats tell about counts as dead after so long without one. */
  timeout?: number
  /** Repeats the heartbeat until the returned function is called. */
  repeat?: (beat: () => Promise<void>) => () => void
  /** Answers how many milliseconds have passed since it was called. */
  stopwatch?: () => () => number
}

const mostMissed = 4
/** In seconds. */
const usualTimeout = 60

/**
 * The lease of a node is the lock that its kernel keeps, where every other node can see that lock. Where another kernel
 * may be at work (a network file system, PostgreSQL), or no lock can be had, it is a heartbeat every 15 seconds. Servers on
 * PostgreSQL have no folder in common that a lock could lie in: those of one machine know each other by their processes.
 */
export function joinNodes(
  folder: string,
  {
    db,
    clock = systemClock,
    leaseLost = () => {},
    outdated = () => {},
    lock: lockFor = db === undefined || isOnOneKernel(db) ? lockIn : () => undefined,
    timeout = usualTimeout,
    repeat = (beat) => afterPauses(beat, timeout / mostMissed),
    stopwatch = stopwatchNow,
  }: NodeOptions = {},
): Node {
  const lock = lockFor(folder)
  const id = lock?.id ?? ownProcess()
  const kernel = kernelId()
  const locksDecide = lock?.isDecisive === true && (db === undefined || isOnOneKernel(db))
  const beats = db !== undefined && !locksDecide
  const leases = leasesAfter(mostMissed)
  const presence = beats ? presenceOf(db) : undefined
  presence?.hold(id)
  const row = { id, host: hostname(), kernel, version } as const
  let isMember = true
  let hasRow = false
  let sinceBeat = stopwatch()
  let others: readonly string[] = []
  let tables: number | undefined
  let [mayRecover, aliveInRound] = [false, new Set<string>()]

  async function beat(): Promise<void> {
    if (db === undefined || !isMember) return
    const lease = beats ? 'beats' : 'lock'
    const since = stopwatch()
    const count = await countBeat(db, { ...row, lease, beaten_at: clock.unixSeconds() })
    const isLost = count === 1 && hasRow
    hasRow = true
    if (isLost) {
      // Another one may be the first by now, and in the middle of a round.
      mayRecover = false
      leaseLost()
    }
    sinceBeat = since
    leases.beaten(await allNodes(db))
    judge()
    if (beats) await compareTables(db)
    // Where there are others it is asked every other second. One that comes next would not find the lock of a dead connection.
    if (others.length === 0) await presence?.absent([])
  }

  async function compareTables(open: Kysely<Database>): Promise<void> {
    const now = await lastNumber(open, 'tables')
    // They may have been changed between the opening of the database and the first beat, when no other node saw this one.
    if (tables === undefined ? await isOfNewerVersion(open) : now !== tables) outdated()
    tables ??= now
  }

  function judge(): void {
    others = beats ? [...leases.rows()].map((other) => other.id).filter((other) => other !== id && isAlive(other)) : []
  }

  const isOfThisKernel = (other: string): boolean => kernel !== '' && leases.rowOf(other)?.kernel === kernel

  /** A byte that is free tells about processes of this kernel only. */
  function isLocked(other: string): boolean | undefined {
    const isHeld = lock?.isHeld(other)
    return isHeld !== false || locksDecide || isOfThisKernel(other) ? isHeld : undefined
  }

  function isAlive(other: string | null): boolean {
    if (other === null || other === '') return false
    // A node counts as alive where nothing can be found out.
    if (other === id || !isMember) return true
    const byProcess = () => (isLockId(other) ? undefined : isRunning(other, { isOnlyKernel: locksDecide }))
    // A node whose lock decides makes no beats that it could miss.
    const byBeats = () => db === undefined || leases.rowOf(other)?.lease === 'lock' || leases.isAlive(other)
    return isLocked(other) ?? byProcess() ?? byBeats()
  }

  async function refresh(): Promise<void> {
    await first
    if (db === undefined || !beats || !isMember) return
    leases.seen(await allNodes(db))
    judge()
  }

  async function removeDead(): Promise<boolean> {
    const dead = db === undefined ? [] : (await allNodes(db)).filter((other) => !isAlive(other.id))
    for (const other of dead) if (db !== undefined) await deleteNode(db, other.id)
    return dead.length > 0
  }

  async function isFirst(): Promise<boolean> {
    await first
    const rows = db === undefined ? [] : await allNodes(db)
    const own = rows.find((row) => row.id === id)
    // Without its row it is dead for others, one of which is the first.
    if (own === undefined && beats) return false
    const startedAt = own?.started_at ?? Number.NEGATIVE_INFINITY
    const isBefore = (other: NodeRow) =>
      other.started_at < startedAt || (other.started_at === startedAt && other.id < id)
    return !rows.some((other) => other.id !== id && isBefore(other) && isAlive(other.id))
  }

  async function passOn(): Promise<void> {
    mayRecover = false
    if (db !== undefined) await startAnew(db, id, clock.unixSeconds())
  }

  async function beginRound(): Promise<void> {
    const rows = db === undefined ? [] : await allNodes(db)
    aliveInRound = new Set(rows.filter((other) => isAlive(other.id)).map((other) => other.id))
    mayRecover = await isFirst()
  }

  let beating: Promise<void> = Promise.resolve()
  // A heartbeat that cannot be written now fails nothing. One after the other, so that the count tells of a lost row.
  const quietly = () => {
    beating = beating.then(beat).catch(() => {})
    return beating
  }
  const first = quietly()
  const stop = beats ? repeat(quietly) : () => {}

  // Counted from the beginning of the beat, and one beat less than the others wait for.
  const isSure = () =>
    !beats || (presence?.isHeld !== false && sinceBeat() < (timeout * 1000 * (mostMissed - 1)) / mostMissed)

  return {
    id,
    kernel,
    isAlive,
    recovering: {
      id,
      isAlive: (other) => isAlive(other) || (other !== null && (!mayRecover || !isSure() || aliveInRound.has(other))),
      isSure,
    },
    async renew() {
      if (!isMember) return false
      await lock?.renew()
      await first
      // Without regular beats the row is written once, and again only while another node is judged by its beats.
      if (!beats && (!hasRow || leases.isWatching())) await quietly()
      const areRemoved = await removeDead().catch(() => false)
      await beginRound()
      return areRemoved
    },
    async hasOthers() {
      await first
      const others = db === undefined ? [] : await allNodes(db)
      return others.some((other) => other.id !== id && lock?.isHeld(other.id) === true)
    },
    isFirst,
    passOn,
    others: () => others,
    refresh,
    async foundDead(other) {
      leases.ended(other)
      judge()
      if (db !== undefined) await deleteNode(db, other)
    },
    isSure,
    async leave() {
      if (!isMember) return
      stop()
      await first
      isMember = false
      if (db !== undefined && hasRow) await deleteNode(db, id).catch(() => {})
      lock?.release()
    },
  }
}

/** Each pause begins when the beat before it is over: a machine that slept does not catch up on missed beats. */
function afterPauses(beat: () => Promise<void>, seconds: number): () => void {
  let timer: NodeJS.Timeout
  const wait = () => {
    timer = setTimeout(async () => {
      await beat()
      wait()
    }, seconds * 1000).unref()
  }
  wait()
  return () => clearTimeout(timer)
}

/** By two clocks: one stands still while the machine sleeps, the other may be set. */
function stopwatchNow(): () => number {
  const [began, beganOn] = [performance.now(), Date.now()]
  return () => Math.max(performance.now() - began, Date.now() - beganOn)
}
