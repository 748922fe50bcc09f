import { afterAll, beforeEach, expect, test } from 'bun:test'
import { linkSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FolderAt, Timeline } from '@filestead/contract'
import { touchAccess } from '../src/database/counters.ts'
import { transaction } from '../src/database/port.ts'
import { usualHistory } from '../src/mounts/history.ts'
import { insertMount } from '../src/mounts/store.ts'
import { jsonIn, statusOf } from './answers.ts'
import { setGrants } from './past-world.ts'
import { startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
const { db } = server.app.deps
await server.addUser('ann')
await server.addUser('ben', { scope: '/home' })
const [ann, ben] = [await server.as('ann'), await server.as('ben')]
await keep({})

/** What the mount keeps, from now on. */
async function keep(history: Partial<typeof usualHistory>): Promise<void> {
  await transaction(db, 'serializable', async (trx) => {
    await trx
      .updateTable('mount')
      .set({ history: JSON.stringify({ ...usualHistory, ...history }) })
      .execute()
    await touchAccess(trx)
  })
}

beforeEach(async () => {
  for (const name of readdirSync(server.root)) rmSync(join(server.root, name), { recursive: true })
  server.put({ 'home/': '' })
  await db.deleteFrom('kept').execute()
  await setGrants(server, [])
})

const save = async (path: string, text: string) =>
  expect(await statusOf(ann(`/api/resources${path}?override=true`, { method: 'POST', body: text }))).toBe(200)
const remove = async (path: string) =>
  expect(await statusOf(ann(`/api/resources${path}`, { method: 'DELETE' }))).toBeOneOf([200, 204])
const timeline = (path: string, ask = ann) => jsonIn<Timeline>(ask(`/api/timeline${path}`))
const folderAt = (path: string, at: number, ask = ann) => jsonIn<FolderAt>(ask(`/api/timeline-folder${path}?at=${at}`))
const kinds = ({ moments }: Timeline) => moments.map(({ kind }) => kind)
const textIn = async (path: string, past?: string) =>
  (await ann(`/api/raw${path}${past === undefined ? '' : `?past=${past}`}`)).text()
const shown = ({ entries }: FolderAt) => entries.map(({ name, kind }) => `${name} ${kind}`)

/** A state of the root as a snapshot of that day has it. */
function snapshot(day: string, files: Record<string, string>): string {
  const name = `@GMT-${day}-12.00.00`
  for (const [path, text] of Object.entries(files)) {
    const place = join(server.root, '.snapshots', name, path)
    mkdirSync(join(place, '..'), { recursive: true })
    writeFileSync(place, text)
    utimesSync(place, new Date('2019-01-01'), new Date('2019-01-01'))
  }
  mkdirSync(join(server.root, '.snapshots', name), { recursive: true })
  return name
}

test('the timeline of a file has its versions, the newest first, each with its content', async () => {
  for (const text of ['one', 'second', 'the third']) await save('/a.txt', text)
  const found = await timeline('/a.txt')
  expect(kinds(found)).toEqual(['now', 'version', 'version'])
  const texts = found.moments.map(({ past }) => textIn('/a.txt', past))
  expect(await Promise.all(texts)).toEqual(['the third', 'second', 'one'])
  const times = found.moments.map(({ at }) => at)
  expect(times).toEqual(times.toSorted((one, two) => two - one))
  expect(found.moments[1]).toMatchObject({
    by: 'create',
    user: { name: 'ann' },
    canRestore: true,
    isDir: false,
    size: 6,
  })
  expect(found.isCut).toBe(false)
})

test('a file that was removed has a timeline, also after its folder was', async () => {
  await save('/docs/a.txt', 'one')
  await save('/docs/a.txt', 'second')
  await remove('/docs/a.txt')
  expect(kinds(await timeline('/docs/a.txt'))).toEqual(['trash', 'version'])
  await save('/docs/a.txt', 'again')
  expect(kinds(await timeline('/docs/a.txt'))).toEqual(['now', 'trash', 'version'])
  await remove('/docs')
  const found = await timeline('/docs/a.txt')
  expect(found.moments[0]).toMatchObject({ kind: 'trash', size: 5 })
  expect(found.moments[0]?.id).toBeUndefined()
  expect(await textIn('/docs/a.txt', found.moments[0]?.past)).toBe('again')
  const texts = found.moments.map(({ past }) => textIn('/docs/a.txt', past))
  expect(await Promise.all(texts)).toEqual(['again', 'second', 'one'])
  expect(kinds(await timeline('/docs'))).toEqual(['trash'])
})

test('a folder as it was has what was removed, replaced and left alone', async () => {
  for (const name of ['kept', 'gone', 'changed']) await save(`/docs/${name}.txt`, 'old')
  for (const name of ['kept', 'gone', 'changed'])
    utimesSync(join(server.root, 'docs', `${name}.txt`), new Date('2020-01-01'), new Date('2020-01-01'))
  await remove('/docs/gone.txt')
  await save('/docs/changed.txt', 'new')
  await save('/docs/later.txt', 'later')
  const [stop = 0] = (await folderAt('/docs', 0)).stops.slice(-1)
  const then = await folderAt('/docs', stop)
  expect(shown(then)).toEqual(['changed.txt version', 'gone.txt trash', 'kept.txt now'])
  const texts = then.entries.map(({ path, past }) => textIn(path, past))
  expect(await Promise.all(texts)).toEqual(['old', 'old', 'old'])
  expect(shown(await folderAt('/docs', Date.now() + 1000))).toEqual([
    'changed.txt now',
    'kept.txt now',
    'later.txt now',
  ])
  expect(shown(await folderAt('/docs', Date.parse('2019-01-01')))).toEqual([])
  await remove('/docs')
  const removed = await folderAt('/docs', stop)
  expect(shown(removed)).toEqual(['changed.txt version', 'gone.txt trash', 'kept.txt trash'])
  const after = removed.entries.map(({ path, past }) => textIn(path, past))
  expect(await Promise.all(after)).toEqual(['old', 'old', 'old'])
  expect(await statusOf(ann('/api/timeline-folder/never?at=5'))).toBe(404)
})

test('nothing is told of what an account may not see, in the present or in the past', async () => {
  await save('/docs/open.txt', 'open')
  await save('/docs/secret/s.txt', 'secret')
  await save('/docs/secret/s.txt', 'other secret')
  await setGrants(server, [
    ['user:2', '/docs', 'see', 'download'],
    ['user:2', '/docs/secret'],
  ])
  const top = '/Files'
  for (const path of ['/docs/secret/s.txt', '/docs/secret', '/docs/secret/never'])
    for (const address of [`/api/timeline${top}${path}`, `/api/timeline-folder${top}${path}?at=5`])
      expect([address, await statusOf(ben(address))]).toEqual([address, 403])
  await remove('/docs/secret')
  await remove('/docs/open.txt')
  const stop = (await folderAt('/docs', 0)).stops.at(-1) ?? 0
  expect((await folderAt('/docs', stop)).entries.map(({ name }) => name)).toEqual(['open.txt', 'secret'])
  const seen = await folderAt(`${top}/docs`, stop, ben)
  expect(seen.entries.map(({ name }) => name)).toEqual(['open.txt'])
  expect(kinds(await timeline(`${top}/docs/open.txt`, ben))).toEqual(['trash'])
  expect((await timeline(`${top}/docs/open.txt`, ben)).moments[0]?.canRestore).toBe(false)
  const hidden = await ben(`/api/timeline${top}/docs/secret`)
  expect(hidden.ok ? ((await hidden.json()) as Timeline).moments : []).toEqual([])
})

test('snapshots, versions and the trash are in one order, and a snapshot of a kept content is left out', async () => {
  snapshot('2020.01.01', { 'a.txt': 'one' })
  snapshot('2020.01.02', { 'a.txt': 'one' })
  snapshot('2020.01.03', { 'b.txt': 'b' })
  await save('/a.txt', 'one')
  utimesSync(join(server.root, 'a.txt'), new Date('2019-01-01'), new Date('2019-01-01'))
  await save('/a.txt', 'second')
  await keep({ trashDays: 29 })
  const found = await timeline('/a.txt')
  // The copies have other inodes than each other, but size and time of what was kept.
  expect(kinds(found)).toEqual(['now', 'version', 'snapshot'])
  expect(found.moments[2]?.label).toBe('@GMT-2020.01.01-12.00.00')
  expect(kinds(await timeline('/b.txt'))).toEqual(['snapshot'])
  expect(kinds(await timeline('/'))).toEqual(['now', 'snapshot', 'snapshot', 'snapshot'])
  const then = await folderAt('/', Date.UTC(2020, 0, 3, 12))
  expect(shown(then)).toEqual(['b.txt snapshot'])
  await keep({ snapshots: 'off' })
  expect(kinds(await timeline('/b.txt'))).toEqual([])
  await keep({})
})

test('of hundreds of snapshots few are looked at, and all changes are found', async () => {
  await keep({ trashDays: 28 })
  const days = Array.from({ length: 300 }, (_, day) => new Date(Date.UTC(2020, 0, 1 + day)).toISOString())
  const [first, other] = [snapshot('2020.01.01', { 'a.txt': 'one' }), snapshot('2020.06.01', { 'a.txt': 'other' })]
  const place = (name: string) => join(server.root, '.snapshots', name, 'a.txt')
  for (const day of days) {
    const name = snapshot(day.slice(0, 10).replaceAll('-', '.'), {})
    if (name === first || name === other) continue
    if (day < '2020-06') linkSync(place(first), place(name))
    else if (day < '2020-07') linkSync(place(other), place(name))
  }
  const labels = ['2020.06.30', '2020.05.31'].map((day) => `@GMT-${day}-12.00.00`)
  const found = await timeline('/a.txt')
  expect(found.moments.map(({ label }) => label)).toEqual(labels)
  expect(found.isCut).toBe(true)
  expect((await timeline('/')).moments).toHaveLength(200)
})

test('a root folder beside others has a timeline', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'filestead-timeline-')))
  try {
    const mount = { name: 'Photos', folder, links: 'inside', readOnly: false, source: 'stored' } as const
    await transaction(db, 'serializable', async (trx) => {
      await insertMount(trx, mount)
      await touchAccess(trx)
    })
    await keep({})
    await server.app.deps.mounts.all()
    await setGrants(server, [['user:1', '2:/', 'see', 'download']])
    expect(kinds(await timeline('/Photos'))).toEqual(['now'])
    expect((await folderAt('/Photos', 1)).entries).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
