import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Database } from '../src/database/schema.ts'
import { listGrants, saveGrant } from '../src/grants/grants.ts'
import { createGroup } from '../src/groups/groups.ts'
import { allGroups } from '../src/groups/store.ts'
import { insertSession, sessionsOf } from '../src/sessions/store.ts'
import { importUsers, type UserImport } from '../src/takeover/import-users.ts'
import { ListedUser } from '../src/takeover/old-records.ts'
import { allAccounts } from '../src/users/store.ts'
import { testDatabase } from './database.ts'
import { modeOf, scratchFolder } from './disk.ts'
import { oldAdmin, oldHash, oldUser, sample } from './file-browser-database.ts'
import { run } from './process.ts'

setDefaultTimeout(120_000)

const folder = scratchFolder('imports')
const at = (name: string): string => join(folder, name)
const jsonIn = (name: string) => JSON.parse(readFileSync(at(name), 'utf8'))
const put = (name: string, value: unknown): void => writeFileSync(at(name), JSON.stringify(value))

/** The output of a command that must succeed. */
async function told(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(words, { cwd: folder })
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`)
  return stdout + stderr
}

async function refused(...words: string[]): Promise<string> {
  const { code, stderr } = await run(words, { cwd: folder })
  expect([words, code]).toEqual([words, 1])
  return stderr
}

test('a script that sets up an instance from exports imports all of it, and the instance gets its own key', async () => {
  await told('config', 'import', sample.config, '-d', 'new.db')
  await told('users', 'import', sample.users, '-d', 'new.db')
  await told('config', 'export', 'config.yaml', '-d', 'new.db')
  await told('config', 'export', 'config.json', '-d', 'new.db')
  await told('users', 'export', 'users.json', '-d', 'new.db')
  const { settings, ...rest } = jsonIn('config.json')
  const { settings: old, ...others } = sample.read('config')
  expect(settings).toEqual({ ...old, key: expect.any(String) })
  expect(settings.key).not.toBe(old.key)
  expect(rest).toEqual(others)
  const idless = (users: { id: number }[]) => users.map(({ id: _id, ...user }) => user)
  expect(idless(jsonIn('users.json'))).toEqual(idless(sample.read('users')))

  // Again, as scripts do at every start: the settings are imported again, users only with an option.
  await told('config', 'import', 'config.yaml', '-d', 'new.db')
  await told('config', 'export', 'again.json', '-d', 'new.db')
  expect(jsonIn('again.json')).toEqual(jsonIn('config.json'))
  expect(await refused('users', 'import', 'users.json', '-d', 'new.db')).toContain('user 1 is already registered')
  await told('users', 'import', 'users.json', '--overwrite', '-d', 'new.db')
})

test('an import keeps settings that File Browser does not have, and enables commands only where they were enabled', async () => {
  await told('config', 'init', '-d', 'ours.db')
  await told(
    'config',
    'set',
    '--trustedProxies',
    '10.0.0.1',
    '--port',
    '99',
    '--auth.createUsers=false',
    '-d',
    'ours.db',
  )
  const { server, ...config } = sample.read('config')
  put('exec.json', { ...config, server: { ...server, enableExec: true, port: '123' } })
  const shown = await told('config', 'import', 'exec.json', '-d', 'ours.db')
  expect(shown).toMatch(/trustedProxies: +10\.0\.0\.1\n/)
  expect(shown).toMatch(/port: +123\n/)
  expect(shown).toMatch(/Proxy creates users: +false\n/)
  expect(shown).toMatch(/disableExec: +true\n/)
  await told('config', 'set', '--disableExec=false', '-d', 'ours.db')
  expect(await told('config', 'import', 'exec.json', '-d', 'ours.db')).toMatch(/disableExec: +false\n/)
  put('no-exec.json', { ...config, server })
  expect(await told('config', 'import', 'no-exec.json', '-d', 'ours.db')).toMatch(/disableExec: +true\n/)
})

test('an import that fails changes nothing and has a message with a remedy', async () => {
  put('settings.json', { port: 80, database: '/database/filebrowser.db' })
  expect(await refused('config', 'import', 'settings.json', '-d', 'none.db')).toContain(
    'the settings cannot be understood',
  )
  expect(await refused('config', 'import', sample.users, '-d', 'none.db')).toContain("'filestead users import'")
  expect(await refused('config', 'import', 'old.txt', '-d', 'none.db')).toContain('invalid format: .txt')
  const { auther: _auther, settings, ...config } = sample.read('config')
  put('proxy.json', { ...config, settings: { ...settings, authMethod: 'proxy' } })
  expect(await refused('config', 'import', 'proxy.json', '-d', 'none.db')).toContain('needs --auth.header')
  expect(await refused('users', 'import', sample.users, '-d', 'none.db')).toContain('config init')
  expect(existsSync(at('none.db'))).toBe(false)
})

test('an import of a complete list replaces all users and saves the former ones to a file', async () => {
  await told('config', 'init', '-d', 'whole.db')
  await told('users', 'add', 'before', 'correct horse battery', '--perm.admin', '-d', 'whole.db')
  put('list.json', [{ username: 'after', password: sample.read('users')[0].password, perm: { admin: true } }])
  await told('users', 'import', 'list.json', '--replace', '-d', 'whole.db')
  const [kept = ''] = readdirSync(folder).filter((name) => name.startsWith('whole.db.users-'))
  const names = await told('users', 'ls', '-d', 'whole.db')
  expect([names.includes('after'), names.includes('before')]).toEqual([true, false])
  expect(jsonIn(kept)).toMatchObject([{ id: 1, username: 'before' }])
  expect(modeOf(at(kept))).toBe('600')
})

async function withUsers(work: (db: Kysely<Database>, take: Take) => Promise<void>): Promise<void> {
  const db = await testDatabase()
  const how = { source: 'list.json', now: 1_800_000_000, mayOverwrite: false, isWhole: false }
  const take: Take = (users, wishes) =>
    importUsers(
      db,
      users.map((user) => ListedUser.parse(user)),
      { ...how, ...wishes },
    )
  try {
    await take([oldAdmin, oldUser(0, 'alice'), oldUser(0, 'bob')])
    await work(db, take)
  } finally {
    await db.destroy()
  }
}
type Take = (users: object[], wishes?: Partial<UserImport>) => ReturnType<typeof importUsers>

const namesIn = async (db: Kysely<Database>) => (await allAccounts(db)).map(({ user }) => `${user.id} ${user.username}`)

test('a user without an id, or with an unused one, is created', () =>
  withUsers(async (db, take) => {
    const { id: _id, ...idless } = oldUser(0, 'carol')
    await take([idless, oldUser(77, 'dave')])
    expect(await namesIn(db)).toEqual(['1 admin', '2 alice', '3 bob', '4 carol', '5 dave'])
  }))

test('an import of two users with swapped names swaps them', () =>
  withUsers(async (db, take) => {
    await take([oldUser(2, 'bob'), oldUser(3, 'alice')], { mayOverwrite: true })
    expect(await namesIn(db)).toEqual(['1 admin', '2 bob', '3 alice'])
  }))

test('an import ends the sessions of a user with a new password, and keeps those of an unchanged one', () =>
  withUsers(async (db, take) => {
    const session = { created_at: 1, last_used_at: 1, expires_at: 2_000_000_000, address: '', user_agent: '' }
    for (const [user_id, username] of [
      [2, 'alice'],
      [3, 'bob'],
    ] as const)
      await insertSession(db, { ...session, id: `of ${user_id}`, user_id }, { username, passwordHash: undefined })
    const password = oldHash.slice(0, -1) + (oldHash.endsWith('a') ? 'b' : 'a')
    await take([oldUser(2, 'alice', { password }), oldUser(3, 'bob', { locale: 'de' })], { mayOverwrite: true })
    const left = await Promise.all([2, 3].map(async (id) => (await sessionsOf(db, id, 1)).length))
    expect(left).toEqual([0, 1])
  }))

test('an import that gives a number to another person passes on neither grants nor groups of the first one', () =>
  withUsers(async (db, take) => {
    await createGroup({ db }, { name: 'team', members: [2, 3] })
    for (const id of [2, 3])
      await saveGrant({ db }, { subject: `user:${id}`, mount: 1, folder: '/plans', rights: ['see'] })
    const password = oldHash.slice(0, -1) + (oldHash.endsWith('a') ? 'b' : 'a')
    await take([oldUser(2, 'carol', { password }), oldUser(3, 'robert')], { mayOverwrite: true })
    expect(await namesIn(db)).toEqual(['1 admin', '2 carol', '3 robert'])
    expect((await listGrants(db, {})).map(({ name }) => name)).toEqual(['robert'])
    expect((await allGroups(db)).map(({ members }) => members)).toEqual([[3]])
  }))

/** What an account leaves behind in the tables of other rooms. */
async function leaveRows(db: Kysely<Database>, user_id: number): Promise<void> {
  const id = `of ${user_id}`
  const location = `/plans/${user_id}`
  const times = { created_at: 1, started_at: null, ended_at: null }
  const place = { mount: 1, store: 'trash', place: location, location, kind: 'file', modified_at: 1, kept_at: 1 }
  const ends = { from_location: null, to_location: location }
  const session = { created_at: 1, last_used_at: 1, expires_at: 2_000_000_000, address: '', user_agent: '' }
  const rows = {
    session: { id, user_id, ...session },
    sign_in: { user_id, at: 1 },
    share: { hash: id, user_id, location, expires_at: 0, password_hash: '' },
    favourite: { user_id, location, added_at: 1 },
    upload: {
      ...{ id, user_id, location, place: location, length: 1, override: 0, modified: null, may_rewind: 0 },
      ...{ trusted: null, expires_at: 2_000_000_000, metadata: null, node: null, synced: null, kernel: null },
    },
    job: {
      ...{
        id,
        user_id,
        kind: 'copy',
        summary: '{}',
        state: 'paused',
        choices: '{}',
        cursor: 0,
        notes: '{}',
      },
      ...{ files_done: 0, bytes_done: 0, files_total: null, bytes_total: null, problem: null, message: null },
      ...{ node: null, ...times },
    },
    operation: {
      ...{ id, batch: id, user_id, door: 'web', kind: 'create', ...ends, effects: '[]', at: 1 },
      ...{ undoes: null, undone_by: null, node: null },
    },
    kept: { id, ...place, size: 1, user_id, username: 'x', door: 'web', cause: 'remove', operation: null },
  }
  for (const [table, row] of Object.entries(rows))
    await db
      .insertInto(table as keyof Database)
      .values(row as never)
      .execute()
}

test('an import that gives a number to another person passes on nothing that the first one has left', () =>
  withUsers(async (db, take) => {
    for (const id of [2, 3]) await leaveRows(db, id)
    const password = oldHash.slice(0, -1) + (oldHash.endsWith('a') ? 'b' : 'a')
    await take([oldUser(2, 'carol', { password }), oldUser(3, 'robert')], { mayOverwrite: true })
    expect(await namesIn(db)).toEqual(['1 admin', '2 carol', '3 robert'])
    for (const table of ['session', 'sign_in', 'share', 'favourite', 'upload', 'job', 'operation', 'kept'] as const) {
      const rows = await db.selectFrom(table).select('user_id').where('user_id', 'is not', null).execute()
      expect([table, rows.map(({ user_id }) => user_id)]).toEqual([table, [3]])
    }
  }))

test.each<[string, object[], Partial<UserImport>]>([
  ['is already registered', [oldUser(0, 'new'), oldUser(2, 'alice')], {}],
  ['two users "bob"', [oldUser(0, 'bob')], {}],
  ['two users "new"', [oldUser(0, 'new'), oldUser(0, 'new')], {}],
  ['two users 2', [oldUser(2, 'one'), oldUser(2, 'two')], { mayOverwrite: true }],
  ['username is empty', [oldUser(0, ' ')], {}],
  ['No administrator would be left', [oldUser(1, 'admin')], { mayOverwrite: true }],
  ['No administrator would be left', [oldUser(0, 'new')], { isWhole: true }],
])('an import refused with "%s" changes no user', (reason, users, wishes) =>
  withUsers(async (db, take) => {
    const before = await allAccounts(db)
    const kept: unknown[] = []
    await expect(take(users, { ...wishes, keep: (accounts) => void kept.push(accounts) })).rejects.toThrow(reason)
    expect([await allAccounts(db), kept]).toEqual([before, []])
  }),
)
