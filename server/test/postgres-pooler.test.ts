import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { openDatabase } from '../src/database/open.ts'
import { doorbellOf, type OpenDatabase } from '../src/database/port.ts'
import { scratchFolder } from './disk.ts'
import { freePort } from './free-port.ts'
import { startPostgres } from './postgres.ts'
import { run, serve, until } from './process.ts'

setDefaultTimeout(60_000)

const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((file) => existsSync(file))
if (pgbouncer === undefined) console.log('skip: there is no PgBouncer on this machine (package pgbouncer)')
const postgres = pgbouncer && (await startPostgres())
const folder = scratchFolder('pooler')
const ends: (() => void)[] = []
afterAll(() => {
  for (const end of ends) end()
  if (postgres) postgres.end()
})

/** A PgBouncer before the server, with no setting but those that it cannot do without. Returns the address of the database. */
async function poolerBefore(address: string, mode: 'session' | 'transaction', more = ''): Promise<string> {
  const { port: serverPort, pathname } = new URL(address)
  const port = await freePort()
  const [config, users] = [join(folder, `${mode}-${port}.ini`), join(folder, 'users.txt')]
  writeFileSync(users, '"filestead" ""\n')
  writeFileSync(
    config,
    `[databases]\n* = host=127.0.0.1 port=${serverPort}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}
auth_type = trust\nauth_file = ${users}\npool_mode = ${mode}\nunix_socket_dir =\nlogfile = /dev/null\n${more}`,
  )
  chmodSync(folder, 0o755)
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(pgbouncer ?? '', ['-q', ...account, config], { stdio: 'ignore' })
  ends.push(() => child.kill('SIGKILL'))
  await until(() => isListening(port))
  return `postgres://filestead@127.0.0.1:${port}${pathname}`
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.end())
  })

describe.skipIf(!postgres)('behind PgBouncer', () => {
  const made = async (name: string) => (postgres ? await postgres.make(name) : '')

  test('in session mode a server sets itself up, and nodes hear and see each other', async () => {
    const address = await poolerBefore(await made('sessions'), 'session')
    await using server = await serve(['-d', address, '-r', folder])
    expect(server.stdout()).toContain('password')
    const nodes = [await openDatabase(address, { isServer: true }), await openDatabase(address)] as const
    let heard = 0
    doorbellOf(nodes[0])?.onRing(() => {
      heard += 1
    })
    await until(() => heard === 1)
    await doorbellOf(nodes[1])?.ring()
    await until(() => heard === 2)
    nodes[0].engine.presence?.hold('one')
    await until(async () => (await absentOf(nodes[1], ['one', 'two'])).join() === 'two')
    for (const db of nodes) await db.destroy()
  })

  test.each(['', 'server_round_robin = 1\nmin_pool_size = 3\n', 'default_pool_size = 1\n'])(
    'in transaction mode a server ends with a sentence, and commands work (%j)',
    async (more) => {
      const direct = await made(`transactions_${ends.length}`)
      expect((await run(['config', 'init', '-d', direct])).code).toBe(0)
      const address = await poolerBefore(direct, 'transaction', more)
      expect((await run(['users', 'ls', '-d', address])).code).toBe(0)
      const { code, stderr } = await run(['-d', address, '-r', folder, '-p', String(await freePort())])
      expect([code, stderr]).toEqual([1, expect.stringContaining('PgBouncer: pool_mode = session')])
    },
  )
})

const absentOf = (db: OpenDatabase, ids: string[]): Promise<readonly string[]> =>
  db.engine.presence?.absent(ids) ?? Promise.resolve([])
