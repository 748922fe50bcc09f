import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type KyselyPlugin, sql } from 'kysely'
import { moveDatabase } from '../src/backups/move.ts'
import { copyDatabase } from '../src/database/copying.ts'
import { openDatabase } from '../src/database/open.ts'
import { tables } from '../src/database/tables.ts'
import { scratchFolder } from './disk.ts'
import { sample } from './file-browser-database.ts'
import { startPostgres } from './postgres.ts'
import { admin, askAt, initialise, run, serve, signIn } from './process.ts'

setDefaultTimeout(120_000)

const postgres = await startPostgres()
if (postgres === undefined) console.warn('Databases are not moved to a PostgreSQL: there is none here')
afterAll(() => postgres?.end())
const folder = scratchFolder('move')
const at = (name: string) => join(folder, name)

/** What the tables hold, but for what is about servers that run. */
async function contentOf(address: string): Promise<Record<string, unknown[]>> {
  const db = await openDatabase(address)
  const content: Record<string, unknown[]> = {}
  for (const [table, [key]] of Object.entries(tables))
    if (!['node', 'message'].includes(table))
      content[table] = await db
        .selectFrom(table as 'user')
        .selectAll()
        .orderBy(key as 'id')
        .execute()
  await db.destroy()
  return content
}

/** One with what differs between databases: large numbers, texts in another order, marks of every kind. */
async function filled(file: string): Promise<void> {
  await initialise(file)
  const db = await openDatabase(file)
  const share = { user_id: 1, expires_at: 0, password_hash: '' }
  const locations = ['/Ä', '/a', '/B', '/b c', "/it's", '/\u{1f600}', '/ \n\t\\x', '/z%_', '2:/x']
  await db
    .insertInto('share')
    .values(locations.map((location, index) => ({ ...share, hash: `h${index}`, location, label: location })))
    .execute()
  const draft = { owner: 'node:1', device: 2 ** 40, inode: 2 ** 53 - 1, born: '', size: 2 ** 52, modified: null }
  await db
    .insertInto('draft')
    .values({ place: '/x', target: null, ...draft })
    .execute()
  const favourites = Array.from({ length: 1234 }, (_, index) => ({
    user_id: 1,
    location: `/folder ${index}`,
    added_at: index,
  }))
  for (let from = 0; from < favourites.length; from += 500)
    await db
      .insertInto('favourite')
      .values(favourites.slice(from, from + 500))
      .execute()
  await db.destroy()
}

test('every table is known with its key, and copied between two files', async () => {
  const db = await openDatabase(at('tables.db'))
  const found = await db.introspection.getTables()
  const names = found.map(({ name }) => name).filter((name) => !name.startsWith('kysely_'))
  expect(names.sort()).toEqual(Object.keys(tables).sort())
  await db.destroy()
  await filled(at('one.db'))
  const [one, two] = [await openDatabase(at('one.db')), await openDatabase(at('two.db'))]
  const before = await contentOf(at('one.db'))
  expect(await copyDatabase(one, two)).toBe(Object.values(before).flat().length)
  await Promise.all([one.destroy(), two.destroy()])
  expect(await contentOf(at('two.db'))).toEqual(before)
})

test('long plans of jobs are copied a few at once', async () => {
  const [one, two] = [await openDatabase(at('long.db')), await openDatabase(at('long-copy.db'))]
  const job = {
    ...{ user_id: 1, kind: 'delete', summary: '{}', state: 'done', choices: '{}', cursor: 0, notes: '{}', node: null },
    ...{ files_done: 0, bytes_done: 0, files_total: null, bytes_total: null, problem: null, message: null },
    ...{ created_at: 0, started_at: null, ended_at: null },
  }
  const plan = 'x'.repeat(1 << 20)
  const ids = Array.from({ length: 33 }, (_, index) => `job ${index}`)
  await one
    .insertInto('job')
    .values(ids.map((id) => ({ ...job, id })))
    .execute()
  for (const id of ids) await one.insertInto('job_plan').values({ job: id, plan }).execute()
  let longest = 0
  const measuring: KyselyPlugin = {
    transformQuery({ node }) {
      longest = Math.max(longest, JSON.stringify(node).length)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await copyDatabase(one, two.withPlugin(measuring))
  expect(longest).toBeWithin(plan.length, 16 * plan.length)
  expect((await two.selectFrom('job_plan').select('job').execute()).map(({ job }) => job).sort()).toEqual(ids.sort())
  await Promise.all([one.destroy(), two.destroy()])
})

test('a copy that is refused at its end leaves what was there', async () => {
  await filled(at('source.db'))
  await initialise(at('target.db'))
  const before = await contentOf(at('target.db'))
  const [one, two] = [await openDatabase(at('source.db')), await openDatabase(at('target.db'))]
  const refusing = copyDatabase(one, two, { after: () => Promise.reject(new Error('refused')) })
  expect(await refusing.catch((error: Error) => error.message)).toBe('refused')
  await Promise.all([one.destroy(), two.destroy()])
  expect(await contentOf(at('target.db'))).toEqual(before)
})

/** Two databases that are moved to one place at the same time. */
async function expectOneToArrive(name: string, to: string): Promise<void> {
  const sources = [at(`${name}-left.db`), at(`${name}-right.db`)]
  for (const source of sources) {
    await filled(source)
    await run(['users', 'add', source.includes('left') ? 'left' : 'right', admin.password, '-d', source])
  }
  const before = await Promise.all(sources.map(contentOf))
  const moves = await Promise.allSettled(sources.map((source) => moveDatabase(source, to)))
  const arrived = moves.findIndex(({ status }) => status === 'fulfilled')
  expect(moves.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(moves.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'already-exists' } })
  expect(await contentOf(to)).toEqual(before[arrived] ?? {})
  expect(await contentOf(sources[1 - arrived] ?? '')).toEqual(before[1 - arrived] ?? {})
  expect(readdirSync(folder).filter((file) => file.includes('.moving'))).toEqual([])
}

test('of two moves into one file at once the second is refused, and takes nothing from the first', () =>
  expectOneToArrive('file', at('arrived.db')))

describe.if(postgres !== undefined)('with a PostgreSQL', () => {
  const made = async (name: string) => (await postgres?.make(name)) ?? ''

  test('of two moves into it at once the second is refused, and takes nothing from the first', async () =>
    expectOneToArrive('server', await made('arrived')))

  test('a copy has as long as it takes, while the other database is busy', async () => {
    const address = await made('slow')
    const db = await openDatabase(address, { connections: 1, isUnhurried: true })
    for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout'])
      expect((await sql`show ${sql.raw(name)}`.execute(db)).rows).toEqual([{ [name]: '0' }])
    await db.destroy()
  })

  test('a database moves there and back, and nothing is lost on the way', async () => {
    const file = at('here.db')
    await filled(file)
    const address = await made('there')
    const before = await contentOf(file)
    const there = await run(['database', 'move', '--to', address, '-d', file])
    expect([there.code, there.stderr.includes('Error')]).toEqual([0, false])
    expect(there.stdout).toMatch(/^Moved \d+ rows to postgres:.*\nThe former database is kept as .*here\.db\.moved-/)
    expect(existsSync(file)).toBe(false)
    expect(await contentOf(address)).toEqual(before)

    const again = await run(['database', 'move', '--to', address, '-d', at('one.db')])
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is in use already')])
    expect(existsSync(at('one.db'))).toBe(true)

    const back = await run(['database', 'move', '--to', at('back.db'), '-d', address])
    expect(back.code).toBe(0)
    expect(await contentOf(at('back.db'))).toEqual(before)
  })

  test('a move is refused while a server runs, on either side, and changes nothing', async () => {
    const file = at('busy.db')
    await initialise(file)
    await using inFile = await serve(['-d', file, '-r', folder])
    const address = await made('busy')
    const refused = await run(['database', 'move', '--to', address, '-d', file])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('stop it first')])
    inFile.signal('SIGTERM')
    await inFile.ended
    expect((await run(['database', 'move', '--to', address, '-d', file])).code).toBe(0)
    await using server = await serve(['-d', address, '-r', folder])
    expect((await askAt(server.url, '/health')).status).toBe(200)
    const twice = await run(['database', 'move', '--to', at('elsewhere.db'), '-d', address])
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining('stop it first')])
    expect(existsSync(at('elsewhere.db'))).toBe(false)
  })

  test('a backup of a PostgreSQL is restored into a file, and one of a file into a PostgreSQL', async () => {
    const address = await made('backed_up')
    await initialise(address, [], { env: {} })
    const backup = at('server.tar.gz')
    expect((await run(['backup', backup, '-d', address])).code).toBe(0)
    expect(readdirSync(folder).filter((name) => name.startsWith('server.tar.gz'))).toEqual(['server.tar.gz'])
    expect((await run(['restore', backup, '-d', at('restored.db')])).code).toBe(0)
    const usersOf = async (place: string) => (await contentOf(place)).user
    expect(await usersOf(at('restored.db'))).toEqual(await usersOf(address))

    await run(['users', 'add', 'later', admin.password, '-d', address])
    const restored = await run(['restore', backup, '-d', address])
    expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('is kept as')])
    expect(await usersOf(address)).toEqual(await usersOf(at('restored.db')))
    const kept = /kept as (.*\.tar\.gz)/.exec(restored.stdout)?.[1] ?? ''
    expect((await run(['restore', kept, '-d', at('kept.db')])).code).toBe(0)
    expect((await usersOf(at('kept.db')))?.length).toBe(2)
    await using server = await serve(['-d', address, '-r', folder])
    expect(await signIn(server.url, admin)).toBeString()
    const refused = await run(['restore', backup, '-d', address])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('stop it first')])
  })

  test('File Browser is taken over straight into a PostgreSQL', async () => {
    const address = await made('taken_over')
    const taken = await run(['takeover', '--from', sample.database, '-r', folder, '-d', address])
    expect([taken.code, taken.stdout]).toEqual([0, expect.stringContaining('Taken over into postgres:')])
    const file = await run(['takeover', '--from', sample.database, '-r', folder, '-d', at('taken.db')])
    expect(file.code).toBe(0)
    const [there, here] = [await contentOf(address), await contentOf(at('taken.db'))]
    expect([there.user, there.share, there.inherited_user?.length]).toEqual([
      here.user,
      here.share,
      here.inherited_user?.length,
    ])
    expect(there.user?.length).toBeGreaterThan(1)
    const twice = await run(['takeover', '--from', sample.database, '-r', folder, '-d', address])
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining('taken over already')])
  })

  test('the doctor looks at a PostgreSQL, and names what is wrong with its address', async () => {
    const address = await made('doctored')
    await initialise(address, [], { env: {} })
    const { stdout } = await run(['doctor', '-d', address, '-r', folder])
    expect(stdout).toMatch(/ok +Database: postgres:\S+, 1 user/)
    const wrong = await run(['doctor', '-d', address.replace('doctored', 'nowhere'), '-r', folder])
    expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringMatching(/BAD +Database: /)])
  })
})
