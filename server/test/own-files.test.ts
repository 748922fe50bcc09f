import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { namesIn } from './answers.ts'
import { scratchFolder } from './disk.ts'
import { admin, askAs, initialise, type Program, serve, signIn, startProgram } from './process.ts'
import { notRefused } from './refusals.ts'

const linked = scratchFolder('linked')
const own = ['filestead.db', 'filestead.db-wal', 'filestead.db-shm']

let program: Program
let data: string
let identity: string
beforeAll(async () => {
  program = await startProgram({ database: 'root/deep/data/filestead.db', cwd: 'root' })
  data = join(program.root, 'deep/data')
  const at = (name: string) => join(program.root, name)
  bait()
  for (const name of own) {
    linkSync(join(data, name), at(`hard-${name}`))
    symlinkSync(`deep/data/${name}`, at(`soft-${name}`))
  }
  symlinkSync('deep/data', at('way'))
  writeFileSync(join(data, 'neighbour.txt'), 'a neighbour')
  identity = identityOfOwn()
}, 120_000)
afterAll(() => program?.end())

const direct = own.map((name) => `/deep/data/${name}`)
const beneathLink = own.map((name) => `/way/${name}`)
const hard = own.map((name) => `/hard-${name}`)
const soft = own.map((name) => `/soft-${name}`)
const spool = [
  '/deep/data/filestead.db-drafts',
  '/way/filestead.db-drafts',
  '/deep/data/filestead.db-drafts/inside.txt',
]
const everyName = [...direct, ...beneathLink, ...hard, ...soft, ...spool]

test('files of the server are in no listing', async () => {
  expect(await namesIn(program.ask, '/deep/data')).toEqual(['neighbour.txt'])
  expect(await namesIn(program.ask, '/way')).toEqual(['neighbour.txt'])
  const flat = (await (await program.ask('/api/resources/?recursive=true')).json()) as { path: string }[]
  const paths = flat.map(({ path }) => path)
  expect(paths).toContain('/deep/data/neighbour.txt')
  expect(paths.filter((path) => [...direct, ...hard, ...spool].includes(path))).toEqual([])
  expect(await namesIn(program.ask, '/')).toEqual(expect.not.arrayContaining(own.map((name) => `hard-${name}`)))
})

test.each(everyName)('%s, a file of the server, can be neither read nor written', async (path) => {
  const requests = [
    `GET /api/raw${path}`,
    `GET /api/raw${path}?inline=true`,
    `GET /api/resources${path}`,
    `GET /api/resources${path}?checksum=md5`,
    `PUT /api/resources${path}`,
    `POST /api/resources${path}?override=true`,
    `PATCH /api/resources${path}?action=copy&destination=/stolen.db&override=true`,
  ]
  expect(await answersTo(requests)).toEqual(requests.map((request) => `${request} is refused`))
  expect(existsSync(join(program.root, 'stolen.db'))).toBe(false)
  expect(identityOfOwn()).toBe(identity)
})

test.each([...direct, ...beneathLink, ...hard])(
  '%s, a file of the server, can be neither moved, removed nor replaced',
  async (path) => {
    const requests = [
      `PATCH /api/resources${path}?action=rename&destination=/stolen.db`,
      `DELETE /api/resources${path}`,
      `PATCH /api/resources/fake/filestead.db?action=copy&destination=${path}&override=true`,
      `PATCH /api/resources/fake/filestead.db?action=rename&destination=${path}&override=true`,
    ]
    expect(await answersTo(requests)).toEqual(requests.map((request) => `${request} is refused`))
    expect(identityOfOwn()).toBe(identity)
  },
)

test('folders with files of the server can be neither moved, removed nor merged into', async () => {
  const requests = [
    'PATCH /api/resources/deep?action=rename&destination=/moved',
    'PATCH /api/resources/deep/data?action=rename&destination=/moved',
    'DELETE /api/resources/deep',
    'DELETE /api/resources/deep/data',
    'PATCH /api/resources/fake?action=rename&destination=/deep/data&override=true',
    'PATCH /api/resources/fake?action=copy&destination=/deep/data&override=true',
  ]
  expect(await statusesOf(requests)).toEqual(requests.map(() => 403))
  expect(identityOfOwn()).toBe(identity)
})

test('a copy of a folder leaves out the files of the server', async () => {
  await program.ask('/api/resources/deep?action=copy&destination=/copy-of-deep', { method: 'PATCH' })
  await program.ask('/api/resources/way?action=copy&destination=/copy-of-way', { method: 'PATCH' })
  const isDatabase = (path: string) => readFileSync(path).subarray(0, 15).toString() === 'SQLite format 3'
  const copies = ['copy-of-deep/data', 'copy-of-way'].map((folder) => join(program.root, folder)).filter(existsSync)
  expect(copies.flatMap((folder) => readdirSync(folder)).filter((name) => name !== 'neighbour.txt')).toEqual([])
  expect(isDatabase(join(data, 'filestead.db'))).toBe(true)
})

test('an archive of a folder and a search in it leave out the files of the server', async () => {
  const addresses = ['/api/raw/deep?algo=tar', '/api/raw/deep/data?algo=tar', '/api/search/deep?query=filestead']
  for (const address of addresses) {
    const found = await (await program.ask(address)).text()
    expect(found).not.toMatch(/SQLite format 3|filestead\.db/)
  }
})

// SQLite would roll a journal that it finds at the next start back into the database, from any writer.
test.each([
  'POST /api/resources/deep/data/filestead.db-journal',
  'POST /api/resources/way/filestead.db-journal',
  'POST /api/resources/deep/data/filestead.db-journal/',
  'PATCH /api/resources/fake/filestead.db?action=copy&destination=/deep/data/filestead.db-journal',
  'PATCH /api/resources/fake/filestead.db?action=rename&destination=/deep/data/filestead.db-journal',
  'PATCH /api/resources/bait?action=copy&destination=/deep/data&override=true',
  'PATCH /api/resources/bait?action=rename&destination=/deep/data&override=true',
])('%s: a file that the database would use as its own cannot be created', async (request) => {
  const statuses = await statusesOf([request])
  const isThere = existsSync(join(data, 'filestead.db-journal'))
  // Restores the state for the next test.
  rmSync(join(data, 'filestead.db-journal'), { recursive: true, force: true })
  bait()
  expect({ statuses, isThere }).toEqual({ statuses: [403], isThere: false })
})

// The program was started in the folder that it serves, and the next start looks there for options, '{"root":"/"}' too.
test.each([
  'POST /api/resources/.filestead.json',
  'POST /api/resources/.filebrowser.yaml',
  'POST /api/resources/.filestead.json?override=true',
  'POST /api/resources/.filebrowser.toml/',
  'PATCH /api/resources/fake/filestead.db?action=copy&destination=/.filestead.yml',
  'PATCH /api/resources/fake/filestead.db?action=rename&destination=/.filebrowser.json',
])('%s: a file with options for the next start cannot be created', async (request) => {
  expect(await statusesOf([request])).toEqual([403])
  expect(readdirSync(program.root).filter((name) => /^\.(filestead|filebrowser)\./.test(name))).toEqual([])
})

test('other files in the same folder stay usable', async () => {
  const requests = [
    'GET /api/raw/deep/data/neighbour.txt',
    'PUT /api/resources/deep/data/neighbour.txt',
    'POST /api/resources/deep/data/new.txt',
    'PATCH /api/resources/deep/data/new.txt?action=copy&destination=/deep/data/copy.txt',
    'PATCH /api/resources/deep/data/new.txt?action=rename&destination=/deep/moved.txt',
    'PUT /api/resources/way/copy.txt',
    'POST /api/resources/deep/data/folder/',
  ]
  expect(await statusesOf(requests)).toEqual(requests.map(() => 200))
  expect(
    await statusesOf(['DELETE /api/resources/deep/data/copy.txt', 'DELETE /api/resources/deep/data/folder']),
  ).toEqual([204, 204])
  expect(await namesIn(program.ask, '/deep/data')).toEqual(['neighbour.txt'])
})

test('after all attempts the server still has its users, also after a restart', async () => {
  expect(await signIn(program.url, admin)).not.toBe('')
  await program.terminate()
  writeFileSync(join(program.root, '.filebrowser.json'), '{"tokenExpirationTime":"3h"}')
  await program.start()
  expect(await signIn(program.url, admin)).not.toBe('')
})

test('files with the options of this start cannot be reached', async () => {
  const path = '.filebrowser.json'
  const requests = [
    `GET /api/raw/${path}`,
    `GET /api/resources/${path}`,
    `PUT /api/resources/${path}`,
    `POST /api/resources/${path}?override=true`,
    `DELETE /api/resources/${path}`,
    `PATCH /api/resources/${path}?action=rename&destination=/mine.json`,
  ]
  expect(await answersTo(requests)).toEqual(requests.map((request) => `${request} is refused`))
  expect(await namesIn(program.ask, '/')).not.toContain(path)
  expect(readFileSync(join(program.root, path), 'utf8')).toBe('{"tokenExpirationTime":"3h"}')
})

async function statusesOf(requests: string[]): Promise<number[]> {
  const statuses: number[] = []
  for (const request of requests) {
    const [method = '', path = ''] = request.split(' ')
    const body = method === 'PUT' || method === 'POST' ? 'overwritten' : undefined
    const answer = await program.ask(path, { method, body })
    await answer.arrayBuffer()
    statuses.push(answer.status)
  }
  return statuses
}

/** 403 and 404 are refusals, and so is 409 for a taken name. */
async function answersTo(requests: string[]): Promise<string[]> {
  const statuses = await statusesOf(requests)
  return requests.map(
    (request, i) => `${request} ${[403, 404, 409].includes(statuses[i] ?? 0) ? 'is refused' : statuses[i]}`,
  )
}

/** Folders that would harm the server if they were merged into the folder of the database. */
function bait(): void {
  for (const folder of ['fake', 'bait']) mkdirSync(join(program.root, folder), { recursive: true })
  for (const name of own) writeFileSync(join(program.root, 'fake', name), 'not a database')
  writeFileSync(join(program.root, 'bait/filestead.db-journal'), 'not a journal')
}

/** The inodes of the files of the server, and the first bytes of the database. */
const identityOfOwn = (): string =>
  own.map((name) => `${name} ${statSync(join(data, name)).ino}`).join() +
  readFileSync(join(data, 'filestead.db')).subarray(0, 15)

test('the files of a database that is named by a symlink are not served', async () => {
  const [root, link] = [join(linked, 'root'), join(linked, 'link.db')]
  mkdirSync(root)
  symlinkSync('root/real.db', link)
  await initialise(link)
  await using running = await serve(['-d', link, '-r', root])
  const ask = askAs(running.url, await signIn(running.url, admin))
  expect(readdirSync(root)).toEqual(expect.arrayContaining(['real.db', 'real.db-wal', 'real.db-shm']))
  for (const name of readdirSync(root)) expect((await ask(`/api/raw/${name}`)).status).toBe(404)
})

// An editor saves by renaming a new file over the old one, and some remove the old one first.
test.each(['replaced', 'removed'])(
  'a config file named by --config and %s while the server runs can be neither read, written nor made',
  async (how) => {
    const place = join(linked, how)
    const root = join(place, 'root')
    const config = join(root, 'options.yaml')
    mkdirSync(root, { recursive: true })
    writeFileSync(join(root, 'bait.txt'), 'bait')
    writeFileSync(config, 'tokenExpirationTime: 3h\n')
    const database = join(place, 'filestead.db')
    await initialise(database)
    await using running = await serve(['-c', config, '-d', database, '-r', root])
    const ask = askAs(running.url, await signIn(running.url, admin))
    writeFileSync(join(place, 'new.yaml'), 'SECRET')
    if (how === 'replaced') renameSync(join(place, 'new.yaml'), config)
    else rmSync(config)
    expect(await notRefused(ask, '/options.yaml')).toEqual({})
    expect(existsSync(config) && readFileSync(config, 'utf8')).toBe(how === 'replaced' && 'SECRET')
    expect(await namesIn(ask, '/')).toEqual(['bait.txt'])
  },
)
