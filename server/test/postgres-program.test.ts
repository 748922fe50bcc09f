import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { startPostgres } from './postgres.ts'
import { admin, askAs, run, serve, signIn, stateFolder } from './process.ts'

setDefaultTimeout(120_000)

const postgres = await startPostgres()
const folder = mkdtempSync(join(tmpdir(), 'filestead-on-postgres-'))
const root = join(folder, 'root')
mkdirSync(root)
afterAll(() => {
  postgres?.end()
  rmSync(folder, { recursive: true, force: true })
})

const withPassword = (address: string) => address.replace('filestead@', 'filestead:a-secret@')

/** The output of a command that must succeed, which never holds the password. */
async function ask(address: string, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await run([...words, '-d', withPassword(address)], { cwd: folder })
  expect({ words, code, stderr: code === 0 ? '' : stderr }).toEqual({ words, code: 0, stderr: '' })
  expect(stdout + stderr).not.toContain('a-secret')
  return stdout
}

async function connectionsTo(address: string): Promise<number> {
  const client = new Client({ connectionString: address })
  await client.connect()
  const query = 'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  const { rows } = await client.query(query)
  await client.end()
  return rows.length
}

describe.skipIf(postgres === undefined)('the program on PostgreSQL', () => {
  test('is set up by commands, serves, and ends all connections when it stops', async () => {
    const address = (await postgres?.make('commands')) ?? ''
    const early = await run(['users', 'ls', '-d', address], { cwd: folder })
    expect([early.code, early.stderr]).toEqual([
      1,
      expect.stringContaining("is empty. Please run 'filestead config init'"),
    ])
    expect(await ask(address, 'config', 'init', '--branding.name', 'Shared')).toContain('Shared')
    const again = await run(['config', 'init', '-d', address], { cwd: folder })
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already exists')])
    await ask(address, 'users', 'add', admin.username, admin.password, '--perm.admin')
    expect(await ask(address, 'users', 'ls')).toContain(admin.username)
    expect(await ask(address, 'config', 'cat')).toContain('Shared')
    await ask(address, 'config', 'set', '--databaseConnections', '3')
    await ask(address, 'rules', 'ls')
    await ask(address, 'groups', 'add', 'Team')
    expect(await ask(address, 'groups', 'ls')).toContain('Team')
    await ask(address, 'mounts', 'ls')
    await ask(address, 'grants', 'ls')
    await ask(address, 'cmds', 'ls')
    await ask(address, 'users', 'export', join(folder, 'users.json'))
    const made = await run(['backup', join(folder, 'b.tar.gz'), '-d', withPassword(address)], { cwd: folder })
    expect([made.code, made.stderr.includes('Warning'), made.stderr.includes('a-secret')]).toEqual([0, false, false])

    writeFileSync(join(root, 'note.txt'), 'note')
    await using server = await serve(['-d', withPassword(address), '-r', root], { cwd: folder })
    const asked = askAs(server.url, await signIn(server.url, admin))
    const notes = await Promise.all(
      Array.from({ length: 20 }, () => asked('/api/raw/note.txt').then((one) => one.text())),
    )
    expect(new Set(notes)).toEqual(new Set(['note']))
    const open = await connectionsTo(address)
    expect(open).toBeGreaterThan(0)
    expect(open).toBeLessThanOrEqual(3 + 1)
    expect(server.stdout() + server.stderr()).not.toContain('a-secret')
    server.signal('SIGTERM')
    expect((await server.ended).code).toBe(0)
    expect(await connectionsTo(address)).toBe(0)
    const [place = ''] = readdirSync(stateFolder)
    expect(place).toMatch(/^127\.0\.0\.1-\d+-commands$/)
  })

  test('sets itself up at the first start, also with two processes', async () => {
    const address = (await postgres?.make('first')) ?? ''
    await using server = await serve(['-d', address, '-r', root, '--processes', '2'], { cwd: folder })
    expect(server.stdout() + server.stderr()).toContain('password')
    expect((await askAs(server.url, '')('/api/resources/')).status).toBe(401)
  })
})
