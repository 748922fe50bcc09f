import { type Compilable, type CompiledQuery, Kysely, type KyselyConfig, Transaction } from 'kysely'
import { semaphore } from '../concurrency/semaphore.ts'
import { Failure } from '../failure.ts'
import type { Database } from './schema.ts'

/**
 * What the server asks of a database besides queries. Queries are Kysely's; what Kysely has no words for stands here,
 * and an adapter (`sqlite/`, `postgres/`) implements `Engine`. Whatever the driver says, an engine answers
 * in the types of the schema: numbers are numbers, and errors that a request may meet are a `DatabaseRefusal`.
 */
export interface Engine {
  /** Do all processes over this database run on one kernel, so that its locks tell which of them are alive? */
  readonly isOnOneKernel: boolean
  /** Is the database locked for every other process, because its disk was full or read-only when it was opened? */
  readonly isExclusive: boolean
  /** Rings for the nodes on other machines; undefined where there can be none. */
  readonly doorbell: Doorbell | undefined
  /** Which nodes have a connection; undefined where the kernel tells which are alive. */
  readonly presence: Presence | undefined
  /** The first row of a query that is compiled once. No other row is fetched, and none that is not committed. */
  first<Row>(query: CompiledQuery<Row>): (parameters: Parameters) => Promise<Row | undefined>
  change(query: CompiledQuery): (parameters: Parameters) => Promise<void>
  /** Resolves when this process reads nothing without it any more. What fails after that is told to `failed`. */
  changeLater(query: CompiledQuery, failed: (error: unknown) => void): (parameters: Parameters) => Promise<void>
  /** Waits, outside of the event loop, until everything committed so far survives a power cut. */
  sync(): Promise<void>
  /** Tries to read and to write, without waiting for a lock. */
  probe(): Promise<DatabaseProblem | undefined>
  /** Called every few seconds: notices that the database was replaced though nothing was written. */
  inspect(): void
  close(): Promise<void>
}

/** Says only that there is something to read: rows are the truth, and a ring can be lost. */
export interface Doorbell {
  ring(): Promise<void>
  /** Also called when rings may have been lost. Returns what ends it. */
  onRing(take: () => void): () => void
}

/** Locks that end with the connection of their node, so that its death is seen at once. */
export interface Presence {
  /** Holds the lock of this node from now on, and again whenever its connection is opened anew. */
  hold(id: string): void
  /** False while the connection is broken, or `absent` not answered; undefined before it was there for the first time. */
  readonly isHeld: boolean | undefined
  /** Those of these nodes that hold no lock. */
  absent(ids: readonly string[]): Promise<string[]>
}

export type Parameters = readonly (string | number | null)[]
export type DatabaseProblem = 'unreadable' | 'replaced' | 'full' | 'locked' | 'unwritable' | 'away'

/** An open database. Rooms take it as a `Kysely<Database>`, which is a transaction just as well. */
export class OpenDatabase extends Kysely<Database> {
  constructor(
    config: KyselyConfig,
    readonly engine: Engine,
  ) {
    super(config)
  }

  /** Kysely closes only what it has been asked a query of its own. */
  override async destroy(): Promise<void> {
    await super.destroy()
    await this.engine.close()
  }
}

/** Undefined for a transaction: it is synced as a whole, once it is committed. */
const engineOf = (db: Kysely<Database>): Engine | undefined => (db instanceof OpenDatabase ? db.engine : undefined)

function requireEngine(db: Kysely<Database>): Engine {
  const engine = engineOf(db)
  if (engine === undefined) throw new Error('This is asked of a database, not of a transaction')
  return engine
}

export const isOnOneKernel = (db: Kysely<Database>): boolean => requireEngine(db).isOnOneKernel
export const doorbellOf = (db: Kysely<Database>): Doorbell | undefined => requireEngine(db).doorbell
export const presenceOf = (db: Kysely<Database>): Presence | undefined => requireEngine(db).presence
export const isExclusive = (db: Kysely<Database>): boolean => requireEngine(db).isExclusive
export const probe = (db: Kysely<Database>): Promise<DatabaseProblem | undefined> => requireEngine(db).probe()
export const inspect = (db: Kysely<Database>): void => requireEngine(db).inspect()

/**
 * A query that is asked with every request: compiled once, and put to the driver directly. Building a query anew and
 * queueing for a connection cost several times what the answer costs.
 */
export function prepared<Row>(
  db: Kysely<Database>,
  built: Compilable<Row>,
): (...parameters: string[]) => Promise<Row | undefined> {
  const first = requireEngine(db).first(built.compile())
  return (...parameters) => first(parameters)
}

/** The same for what writes. It never becomes part of a transaction that is open meanwhile and may be undone. */
export const preparedChange = (db: Kysely<Database>, built: Compilable): ((parameters: Parameters) => Promise<void>) =>
  requireEngine(db).change(built.compile())

/**
 * The same, and it may be committed some milliseconds later, so that many share a commit: a crash may lose it, and other
 * processes read it only then. Queries and transactions of this process find it at once; those that are `prepared` do not wait for
 * it, and must be about other tables.
 */
export const preparedLaterChange = (
  db: Kysely<Database>,
  built: Compilable,
  failed: (error: unknown) => void,
): ((parameters: Parameters) => Promise<void>) => requireEngine(db).changeLater(built.compile(), failed)

/**
 * Waits until everything committed so far survives a power cut. Commits are quick because they do not wait for the disk;
 * what must not be forgotten once it is acknowledged waits for this. ARCHITECTURE.md lists it. Within a transaction it
 * does nothing: the transaction waits at its end.
 */
export const durable = async (db: Kysely<Database>): Promise<void> => engineOf(db)?.sync()

/**
 * 'serializable' where a decision rests on rows that are not written themselves (the last administrator, names and
 * homes that are not taken); 'read committed' where only the rows that are written count. SQLite gives
 * 'serializable' to both, so a call that asks for too little is found with PostgreSQL only.
 */
export type Isolation = 'serializable' | 'read committed'

const mostTries = 10
/** In milliseconds, times the number of tries. */
const longestPause = 20
const isolations = new WeakMap<Transaction<Database>, Isolation>()

/**
 * One transaction; inside of a larger one it is a part of that. `work` has no effects outside of the database: where two
 * transactions get in each other's way, the database undoes one of them, and it is tried again.
 */
export async function transaction<T>(
  db: Kysely<Database>,
  isolation: Isolation,
  work: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  if (db instanceof Transaction) {
    if (isolation === 'serializable' && isolations.get(db) === 'read committed')
      throw new Error('A serializable transaction inside of one that is not would not be serializable')
    return work(db)
  }
  const attempt = () =>
    db
      .transaction()
      .setIsolationLevel(isolation)
      .execute((trx) => {
        isolations.set(trx, isolation)
        return work(trx)
      })
  try {
    return await attempt()
  } catch (error) {
    if (!isSerializationFailure(error)) throw error
  }
  return retries.run(() => repeated(attempt))
}

/** One after the other: transactions that got in each other's way would do so again and again, all at once. */
const retries = semaphore(1)

async function repeated<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 2; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!isSerializationFailure(error)) throw error
      if (tries >= mostTries) throw new DatabaseRefusal('locked', error)
    }
    await Bun.sleep(Math.random() * longestPause * tries)
  }
}

/** The same, synced once it is committed. */
export async function durableTransaction<T>(
  db: Kysely<Database>,
  isolation: Isolation,
  work: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  const result = await transaction(db, isolation, work)
  await durable(db)
  return result
}

/** The codes of the SQL standard, of which PostgreSQL uses two: "serialization failure" and "deadlock detected". */
const isSerializationFailure = (error: unknown): boolean =>
  ['40001', '40P01'].includes(String((error as { code?: unknown } | undefined)?.code))

/** A query that the database could not carry out now, though it is in order. */
export class DatabaseRefusal extends Failure {
  constructor(
    readonly problem: 'full' | 'locked' | 'unwritable' | 'away',
    cause: unknown,
  ) {
    const retry = problem === 'locked' || problem === 'away' ? { retryAfter: 5 } : {}
    super(problem === 'full' ? 'no-space' : 'unavailable', refusalTexts[problem], { cause, ...retry })
  }
}

const refusalTexts = {
  full: 'The disk that holds the database is full',
  locked: 'The database is locked by others now',
  unwritable: 'The database cannot be written or read now',
  away: 'The database does not answer now. It is asked again with the next request',
}

/**
 * Was a row refused because nothing can be written now: full, read-only, broken or locked for too long? Work whose rows are
 * best effort goes on without them then. A database that has been replaced is none of these: it is another one.
 */
export const isUnwritable = (error: unknown): boolean => error instanceof DatabaseRefusal

/** For rows that nothing depends on (last use, expiry): a failure to write them fails no request. */
export const bestEffort = (write: Promise<unknown>): void => void write.catch(() => {})
