import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { openDatabase } from '../src/database/open.ts'

/** A real PostgreSQL on this machine, which ends with this process. */
export interface Postgres {
  /** The address of a database with this name. */
  at(database: string): string
  /** An empty database, or a copy of another one that nobody is connected to. Returns its address. */
  make(database: string, template?: string): Promise<string>
  drop(database: string): Promise<void>
  /** 'SIGINT' ends connections and stops; with 'SIGQUIT' it crashes. */
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>
  start(): Promise<void>
  /** None of its processes does anything any more, until `resume`. */
  hang(): Promise<void>
  resume(): Promise<void>
  /** The folder of its socket. */
  socketFolder(): Promise<string>
  /** Ends it for good. */
  end(): void
}

export interface PostgresOptions {
  /** The folder below which its own is made. */
  within?: string
  /** Settings besides those that every test needs. */
  more?: Record<string, string>
  /** Put beside its data, such as certificates and pg_hba.conf. */
  files?: Record<string, string>
}

/** One that a test may stop. Undefined where this machine has none. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres | undefined> {
  const script = join(import.meta.dirname, '../../scripts/postgres.mjs')
  const child = spawn('node', [script, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const { value: address, done } = await lines.next()
  if (done) {
    console.log('skip: there is no PostgreSQL on this machine, and none could be fetched')
    return undefined
  }
  const tell = async (word: string) => {
    child.stdin.write(`${word}\n`)
    await lines.next()
  }
  return {
    ...databasesOf(address),
    socketFolder: () =>
      withClient(address, async (client) => {
        const { rows } = await client.query('show unix_socket_directories')
        return rows[0].unix_socket_directories
      }),
    stop: (signal = 'SIGINT') => tell(signal),
    start: () => tell('start'),
    hang: () => tell('hang'),
    resume: () => tell('resume'),
    end: () => child.stdin.end(),
  }
}

type Databases = Pick<Postgres, 'at' | 'make' | 'drop'>

function databasesOf(address: string): Databases {
  const at = (database: string) => Object.assign(new URL(address), { pathname: `/${database}` }).href
  const run = (statement: string) => withClient(address, (client) => client.query(statement))
  return {
    at,
    async make(database, template = 'template0') {
      await run(`create database "${database}" template "${template}"`)
      return at(database)
    },
    async drop(database) {
      await run(`drop database if exists "${database}" with (force)`)
    },
  }
}

async function withClient<T>(address: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: address })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The server that all tests of a run share; a run that has none starts one. */
const shared = 'FILESTEAD_TEST_POSTGRES'

export async function sharedPostgres(): Promise<Databases & { template: string }> {
  process.env[shared] ??= await started()
  const address = process.env[shared]
  const databases = databasesOf(address)
  await withClient(address, async (client) => {
    // Several files may be the first.
    await client.query('select pg_advisory_lock(1)')
    const { rows } = await client.query('select 1 from pg_database where datname = $1', [template])
    if (rows.length > 0) return
    await (await openDatabase(await databases.make('unfinished'))).destroy()
    await client.query(`alter database unfinished rename to ${template}`)
  })
  return { ...databases, template }
}

/** With all tables, and nothing in them. */
const template = 'filestead_template'

async function started(): Promise<string> {
  const postgres = await startPostgres()
  if (postgres === undefined) throw new Error('There is no PostgreSQL on this machine, and none could be fetched')
  return postgres.at('postgres')
}
