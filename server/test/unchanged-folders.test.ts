import { afterAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { FolderResource } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { startServer } from './server.ts'

// What a server keeps of folders while nothing happens in them must never be out of date, whoever changes something.

const server = await startServer()
await server.addUser('alice')
const alice = await server.as('alice')
await server.addUser('bob', { scope: '/small', hideDotfiles: true })
const bob = await server.as('bob')
afterAll(() => server.stop())

let state = 7
const random = (below: number) => {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31
  return Math.floor((state / 2 ** 31) * below)
}

const seconds = (time: number) => Math.floor(time / 1000)

/** What the disk tells now. */
const onDisk = (folder: string, isShown = (_: string) => true) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter(isShown)
      .sort()
      .map((name) => {
        const stat = lstatSync(join(folder, name))
        return [
          name,
          [stat.isDirectory(), stat.isDirectory() ? 0 : stat.size, stat.mode & 0o777, seconds(stat.mtimeMs)],
        ]
      }),
  )

const asTold = ({ items }: FolderResource) =>
  Object.fromEntries(
    items
      .map((item) => [
        item.name,
        [item.isDir, item.isDir ? 0 : item.size, item.mode & 0o777, seconds(Date.parse(item.modified))],
      ])
      .sort(([one], [two]) => ((one as string) < (two as string) ? -1 : 1)),
  )

interface At {
  readonly folder: string
  readonly path: string
  /** One in the folder, and where it lies. */
  readonly name: string
  readonly at: string
  readonly isFolder: boolean
  readonly hasMany: boolean
  /** A name for something new, and its content. */
  readonly fresh: string
  readonly body: string
}

/** By another program, or by a request. */
const kinds: Record<string, (at: At) => unknown> = {
  write: ({ folder, fresh, body }) => writeFileSync(join(folder, fresh), body),
  'make a folder': ({ folder, fresh }) => mkdirSync(join(folder, `.${fresh} dir`), { recursive: true }),
  grow: ({ at, isFolder, fresh, body }) => (isFolder ? writeFileSync(join(at, fresh), body) : appendFileSync(at, body)),
  cut: ({ at, isFolder }) => isFolder || truncateSync(at, random(5)),
  'change rights': ({ at, isFolder }) => chmodSync(at, isFolder ? 0o700 + random(64) : 0o600 + random(64)),
  'set a time': ({ at }) => utimesSync(at, random(10_000), random(10_000)),
  rename: ({ at, folder, fresh }) => renameSync(at, join(folder, `${fresh} renamed`)),
  remove: ({ at, hasMany }) => hasMany && rmSync(at, { recursive: true }),
  link({ at, isFolder, folder, fresh }) {
    if (isFolder || existsSync(join(folder, fresh))) return
    linkSync(at, join(folder, fresh))
    appendFileSync(join(folder, fresh), 'more')
    rmSync(at)
  },
  'make and remove below': ({ at, isFolder, fresh }) => {
    if (!isFolder) return
    writeFileSync(join(at, fresh), '')
    rmSync(join(at, fresh))
  },
  async 'move away and back'({ folder, path }) {
    renameSync(folder, `${folder} away`)
    const gone = await statusOf(alice(`/api/resources${path}/`))
    renameSync(`${folder} away`, folder)
    expect(gone).toBe(404)
  },
  POST: ({ path, fresh, body }) => alice(`/api/resources${path}/${fresh}?override=true`, { method: 'POST', body }),
  PUT: ({ path, fresh, body }) => alice(`/api/resources${path}/${fresh}`, { method: 'PUT', body }),
  DELETE: ({ path, name, hasMany }) =>
    hasMany && alice(`/api/resources${path}/${encodeURIComponent(name)}`, { method: 'DELETE' }),
  PATCH({ path, name, fresh }) {
    const to = encodeURIComponent(`${path}/${fresh} moved`)
    const query = `action=rename&destination=${to}&override=true`
    return alice(`/api/resources${path}/${encodeURIComponent(name)}?${query}`, { method: 'PATCH' })
  },
}

async function changeSomething(folder: string, path: string): Promise<string> {
  const names = readdirSync(folder)
  const name = names[random(names.length)] as string
  const at = join(folder, name)
  const isFolder = lstatSync(at).isDirectory()
  const [kind, change] = Object.entries(kinds)[random(Object.keys(kinds).length)] as [string, (at: At) => unknown]
  await change({
    ...{ folder, path, name, at, isFolder, hasMany: names.length > 3 },
    ...{ fresh: `new ${random(1000)}.txt`, body: 'x'.repeat(random(300)) },
  })
  return `${kind} ${name}`
}

async function staysTrue(path: string, rounds: number): Promise<void> {
  const folder = join(server.root, path)
  const done: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    // Often enough for the answer to be kept.
    for (let times = random(7); times >= 0; times -= 1)
      expect({ done: done.slice(-5), told: asTold(await jsonIn(alice(`/api/resources${path}/`))) }).toEqual({
        done: done.slice(-5),
        told: onDisk(folder),
      })
    if (path === '/small')
      expect(asTold(await jsonIn(bob('/api/resources/')))).toEqual(onDisk(folder, (name) => !name.startsWith('.')))
    done.push(await changeSomething(folder, path))
  }
}

test('a small folder is told as it is after each of many changes', async () => {
  server.put(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`small/file ${index}.txt`, `${index}`])))
  server.put({ 'small/below/a.txt': '', 'small/.hidden': '' })
  await staysTrue('/small', 400)
})

test('a large folder is told as it is after each of many changes', async () => {
  server.put(Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`large/file ${index}.txt`, `${index}`])))
  server.put({ 'large/below/a.txt': '' })
  await staysTrue('/large', 60)
})

test('the same large folder is told by other names of its path, with its types by content or without', async () => {
  writeFileSync(join(server.root, 'large/README'), 'words')
  const get = async (path: string) => (await jsonIn<FolderResource>(alice(path))).items
  const first = await get('/api/resources/large/')
  expect(await get('/api/resources/large')).toEqual(first)
  expect((await get('/api/resources//large/'))[0]?.path).toBe((await get('/api/resources//large/'))[0]?.path as string)
  expect(await get('/api/resources/large/')).toEqual(first)
  expect(first.find(({ name }) => name === 'README')?.type).toBe('text')
  writeFileSync(join(server.root, 'large/README'), Buffer.alloc(100))
  expect((await get('/api/resources/large/')).find(({ name }) => name === 'README')?.type).toBe('blob')
})

test('a session that has ended, and a right that was taken away, count at once', async () => {
  await server.addUser('carol')
  const carol = await server.as('carol')
  for (const path of ['/api/resources/small/', '/api/resources/large/']) {
    for (let times = 0; times < 5; times += 1) expect(await statusOf(carol(path))).toBe(200)
  }
  await carol('/api/logout', { method: 'POST' })
  for (const path of ['/api/resources/small/', '/api/resources/large/']) expect(await statusOf(carol(path))).toBe(401)
})
