import { Database as Sqlite } from 'bun:sqlite'
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { chownSync, copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { manifestName } from '../src/backups/manifest.ts'
import { readFrom } from '../src/database/sqlite/files.ts'
import { scratchFolder } from './disk.ts'
import { sample } from './file-browser-database.ts'
import { askAs, initialise, type Program, run, signIn, startProgram } from './process.ts'

setDefaultTimeout(120_000)

const folder = scratchFolder('restore')
const good = join(folder, 'good.db')
beforeAll(() => initialise(good, ['--branding.name', 'As it was']))

interface Packing {
  configPath?: string
  migrations?: string[]
  type?: 'file' | 'symlink'
}

/** An archive in order in every other respect. */
async function archiveOf(name: string, database: Buffer, { configPath, migrations, type = 'file' }: Packing = {}) {
  const content = type === 'file' ? database : Buffer.alloc(0)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const manifest = {
    ...{ program: 'filestead', format: 1, version: '1.0.0', created: '2026-11-15T20:00:00.000Z', configPath },
    migrations: migrations ?? readFrom(good, (tables) => tables.migrations()),
    files: [{ name: 'filestead.db', size: content.length, sha256 }],
  }
  const tar = pack()
  tar.entry({ name: manifestName }, JSON.stringify(manifest))
  if (type === 'file') tar.entry({ name: 'filestead.db' }, content)
  else tar.entry({ name: 'filestead.db', type, linkname: '/etc/passwd' })
  tar.finalize()
  const file = join(folder, `${name}.tar.gz`)
  writeFileSync(file, gzipSync(Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Buffer>))))
  return file
}

/** A copy of the good database with something done to it. */
function changed(name: string, ...statements: string[]): Buffer {
  const file = join(folder, `${name}.db`)
  const sqlite = new Sqlite(good)
  sqlite.run('vacuum into ?', [file])
  sqlite.close()
  const copy = new Sqlite(file)
  for (const statement of statements) copy.run(statement)
  copy.close()
  return readFileSync(file)
}

function foreign(): Buffer {
  const file = join(folder, 'foreign.db')
  const sqlite = new Sqlite(file)
  sqlite.run('create table if not exists bookmark (id integer primary key)')
  sqlite.close()
  return readFileSync(file)
}

const bad: [string, () => Promise<string>, string][] = [
  ['whose database is a link', () => archiveOf('link', Buffer.alloc(0), { type: 'symlink' }), 'damaged'],
  ['whose database is empty', () => archiveOf('empty', Buffer.alloc(0)), 'damaged'],
  ['with a database of another program', () => archiveOf('foreign', foreign()), 'damaged'],
  ['with one that says nothing of itself', () => archiveOf('silent', foreign(), { migrations: [] }), 'damaged'],
  ['with another database than it says', () => archiveOf('other', changed('other'), { migrations: [] }), 'damaged'],
  ['without a table', () => archiveOf('table', changed('table', 'drop table user')), 'damaged'],
  ['without settings', () => archiveOf('bare', changed('bare', 'delete from setting')), 'damaged'],
  ['without an administrator', () => archiveOf('nobody', changed('nobody', 'delete from user')), 'no administrator'],
  [
    'with users that make no sense',
    () => archiveOf('torn', changed('torn', "update user set profile = '{torn'")),
    'damaged',
  ],
  [
    'with rights that make no sense',
    () => archiveOf('odd', changed('odd', `update user set profile = '{"perm":7}'`)),
    'damaged',
  ],
  [
    'that lacks its config file',
    () => archiveOf('config', changed('config'), { configPath: '/etc/filestead/.filestead.yaml' }),
    'damaged',
  ],
]
test.each(bad)('a backup %s is refused before anything changes', async (name, make, words) => {
  const place = join(folder, `kept ${name}`)
  mkdirSync(place)
  const database = join(place, 'filestead.db')
  copyFileSync(good, database)
  const before = readFileSync(database)
  const { code, stderr } = await run(['restore', await make(), '-d', database])
  expect([code, stderr]).toEqual([1, expect.stringContaining(words)])
  expect(stderr.split('\n')).toHaveLength(2)
  expect([readdirSync(place), readFileSync(database).equals(before)]).toEqual([['filestead.db'], true])
})

const keyIn = async (database: string, name: string) => {
  const file = join(folder, name)
  expect((await run(['config', 'export', file, '-d', database])).code).toBe(0)
  return JSON.parse(readFileSync(file, 'utf8')).settings.key as string
}

test('the replaced database is not served, and tokens of its key are refused', async () => {
  await using program = await startProgram({ database: 'root/filestead.db', cwd: 'root' })
  const file = join(folder, 'served.tar.gz')
  expect((await run(['backup', file, '-d', program.database])).code).toBe(0)
  const before = await keyIn(program.database, 'before.json')
  await program.terminate()
  expect((await run(['restore', file, '-d', program.database])).code).toBe(0)
  await program.start()
  expect(await keyIn(program.database, 'after.json')).not.toBe(before)

  writeFileSync(join(folder, 'list.json'), JSON.stringify(sample.read('users')))
  const options = { cwd: program.root }
  const words = ['users', 'import', join(folder, 'list.json'), '--replace', '-d', program.database]
  const { code, stderr } = await run(words, options)
  expect([code, stderr]).toEqual([0, expect.stringContaining(`${program.database}.users-`)])
  const left = readdirSync(program.root)
    .filter((name) => /replaced|users/.test(name))
    .sort()
  expect(left.map((name) => name.replace(/\d.*/, ''))).toEqual(['filestead.db.replaced-', 'filestead.db.users-'])
  for (const name of left) expect(statSync(join(program.root, name)).mode & 0o777).toBe(0o600)
  const ask = askAs(program.url, await signIn(program.url, { username: 'admin', password: 'Adm1n-password-xyz' }))
  expect(await ((await ask('/api/resources/')).json() as Promise<{ items: [] }>).then(({ items }) => items)).toEqual([])
  for (const name of left) expect(await statusOf(ask, `/api/raw/${name}`)).toBe(404)
})

const statusOf = async (ask: Program['ask'], path: string) => (await ask(path)).status

const isRoot = process.getuid?.() === 0

describe.if(isRoot)('as root, in a folder of another account', () => {
  const owner = 4321
  const owners = (place: string) =>
    Object.fromEntries(readdirSync(place).map((name) => [name.replace(/\d.*/, ''), statSync(join(place, name)).uid]))
  const place = (name: string) => {
    const path = join(folder, name)
    mkdirSync(path)
    chownSync(path, owner, owner)
    return path
  }
  const must = async (...words: string[]) => {
    const { code, stderr } = await run(words)
    expect([words, code, stderr]).toEqual([words, 0, expect.anything()])
  }

  test('files that a command creates beside the database belong to the owner of the database', async () => {
    const home = place('owned')
    const database = join(home, 'filestead.db')
    const root = place('owned-files')
    await initialise(database, ['--createUserDir', '-r', root])
    await must('users', 'add', 'alice', 'correct horse battery', '-d', database)
    for (const path of ['users', 'users/alice']) expect([path, statSync(join(root, path)).uid]).toEqual([path, owner])
    await must('users', 'import', sample.users, '--replace', '-d', database)
    await must('backup', join(folder, 'owned.tar.gz'), '-d', database)
    await must('restore', join(folder, 'owned.tar.gz'), '-d', database)
    expect(owners(home)).toMatchObject({
      'filestead.db': owner,
      'filestead.db-drafts': owner,
      'filestead.db.replaced-': owner,
      'filestead.db.users-': owner,
    })
    const below = join(home, 'deep/below/filestead.db')
    await must('restore', join(folder, 'owned.tar.gz'), '-d', below)
    for (const path of ['deep', 'deep/below', 'deep/below/filestead.db'])
      expect([path, statSync(join(home, path)).uid]).toEqual([path, owner])
  })

  test('files that the takeover creates belong to the owner of the database', async () => {
    const home = place('moved')
    const old = join(home, 'filebrowser.db')
    copyFileSync(sample.database, old)
    await must('takeover', '--from', old)
    expect(owners(home)).toEqual({ 'filebrowser.db': 0, 'filestead.db': owner })
  })

  test('files of root stay with root, and no owner of other files changes', async () => {
    const home = join(folder, 'roots')
    mkdirSync(home)
    await initialise(join(home, 'filestead.db'))
    expect(owners(home)).toEqual({ 'filestead.db': 0 })
  })
})
