import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job, KeptItem, Trash } from '@filestead/contract'
import { storeNames } from '../src/storage/store-names.ts'
import { jsonIn } from './answers.ts'
import { openEvents } from './event-stream.ts'
import { jobsOf } from './jobs.ts'
import { keepByHand } from './past-world.ts'
import { until } from './process.ts'
import { type Ask, startServer } from './server.ts'

const server = await startServer({ history: { trash: 'on', versions: true } })
afterAll(() => server.stop())
await server.addUser('ann')
await server.addUser('bob', { scope: '/bob' })
await server.addUser('root', { isAdmin: true })
const [asAnn, asBob, asRoot] = [await server.as('ann'), await server.as('bob'), await server.as('root')]
const ann = jobsOf(asAnn)
const isThere = (path: string) => existsSync(join(server.root, path))
const trashOf = (ask: Ask, query = '') => jsonIn<Trash>(ask(`/api/trash${query}`))
const itemAt = async (path: string, ask = asAnn): Promise<KeptItem> => {
  const found = (await trashOf(ask)).items.find((item) => item.path === path)
  if (found === undefined) throw new Error(`${path} is not in the trash`)
  return found
}
const remove = async (path: string, ask = asAnn): Promise<void> => {
  const response = await ask(`/api/resources${path}`, { method: 'DELETE' })
  expect([response.status, await response.text()]).toEqual([204, ''])
}
const start = (request: object, jobs = ann): Promise<Job> => jobs.run(request)
const restore = ({ past, path }: KeptItem, to = path, rest: object = {}) =>
  start({ kind: 'restore', items: [{ past, from: path, to }], ...rest })
const stored = () => readdirSync(join(server.root, storeNames.trash, 'files'))

test('what is deleted is listed with its place, who and by which door, and comes back with its content', async () => {
  server.put({ 'box/a.txt': 'hello', 'box/deep/b.txt': 'b' })
  const inode = statSync(join(server.root, 'box/a.txt')).ino
  await remove('/box/a.txt')
  expect(isThere('box/a.txt')).toBe(false)
  const item = await itemAt('/box/a.txt')
  expect(item).toMatchObject({
    ...{ name: 'a.txt', store: 'trash', isDir: false, size: 5, type: 'text', door: 'web', by: 'remove' },
    ...{ user: { name: 'ann' }, canRestore: true, canPurge: true },
  })
  expect(item.endsAt).toBe(item.keptAt + 30 * 86_400_000)
  expect(await restore(item)).toMatchObject({ state: 'done', kind: 'restore', finished: 1 })
  expect([server.file('box/a.txt'), statSync(join(server.root, 'box/a.txt')).ino]).toEqual(['hello', inode])
  expect((await trashOf(asAnn)).items).toEqual([])
  expect(readdirSync(join(server.root, storeNames.trash, 'info'))).toEqual([])
})

test('a folder is one item, is measured, and comes back with all it held and with its parents', async () => {
  server.put({ 'tree/top/a.txt': 'aaa', 'tree/top/b/c.txt': 'cc' })
  await remove('/tree/top')
  const item = await itemAt('/tree/top')
  expect(item).toMatchObject({ isDir: true, type: '' })
  await until(async () => (await itemAt('/tree/top')).size === 5)
  await remove('/tree')
  const [folder, inside] = [await itemAt('/tree'), await itemAt('/tree/top')]
  expect(await restore(inside)).toMatchObject({ state: 'done' })
  expect([server.file('tree/top/a.txt'), server.file('tree/top/b/c.txt')]).toEqual(['aaa', 'cc'])
  await start({ kind: 'purge', ids: [folder.id] })
})

test('an item of a folder that was removed and restored since is listed where it was', async () => {
  server.put({ 'moved/a.txt': 'a', 'moved/b.txt': 'b' })
  await remove('/moved/a.txt')
  await remove('/moved')
  expect((await itemAt('/moved/a.txt')).path).toBe('/moved/a.txt')
  await restore(await itemAt('/moved'), '/elsewhere')
  expect((await itemAt('/elsewhere/a.txt')).path).toBe('/elsewhere/a.txt')
  await asAnn(`/api/resources/elsewhere?action=rename&destination=/again`, { method: 'PATCH' })
  await restore(await itemAt('/again/a.txt'))
  expect([server.file('again/a.txt'), server.file('again/b.txt')]).toEqual(['a', 'b'])
})

test('a name that is taken is asked about, and each choice does what it says', async () => {
  for (const [choice, expected] of [
    ['skip', { 'taken.txt': 'new' }],
    ['keep-both', { 'taken.txt': 'new', 'taken(1).txt': 'old' }],
    ['replace', { 'taken.txt': 'old' }],
  ] as const) {
    server.put({ [`${choice}/taken.txt`]: 'old' })
    await remove(`/${choice}/taken.txt`)
    server.put({ [`${choice}/taken.txt`]: 'new' })
    const item = await itemAt(`/${choice}/taken.txt`)
    const job = await restore(item)
    expect(job).toMatchObject({ state: 'asking', conflicts: [{ to: `/${choice}/taken.txt` }] })
    await asAnn(`/api/jobs/${job.id}`, { method: 'PATCH', body: JSON.stringify({ forAll: choice }) })
    await ann.until(job.id, 'done')
    const found = Object.fromEntries(
      readdirSync(join(server.root, choice)).map((name) => [name, server.file(`${choice}/${name}`)]),
    )
    expect([choice, found]).toEqual([choice, expected])
  }
  // What was replaced can come back as well, and what was skipped is still there.
  const paths = (await trashOf(asAnn)).items.map(({ path }) => path)
  expect(paths).toContain('/skip/taken.txt')
  expect(paths).not.toContain('/keep-both/taken.txt')
  await start({ kind: 'purge' })
})

test('files out of a folder in the trash are copied, and stay in it', async () => {
  server.put({ 'album/one.txt': '1', 'album/sub/two.txt': '2' })
  await remove('/album')
  const { past } = await itemAt('/album')
  const items = [
    { past, from: '/album/one.txt', to: '/copied.txt' },
    { past, from: '/album/sub', to: '/copied' },
  ]
  expect(await start({ kind: 'restore', items })).toMatchObject({ state: 'done', finished: 2 })
  expect([server.file('copied.txt'), server.file('copied/two.txt')]).toEqual(['1', '2'])
  await restore(await itemAt('/album'))
  expect(server.file('album/sub/two.txt')).toBe('2')
})

test('purging ends an item for good, with what was removed from it before, and emptying ends all', async () => {
  server.put({ 'old/a.txt': 'a', 'old/b.txt': 'b', 'one.txt': '1', 'two.txt': '2' })
  await remove('/old/a.txt')
  await remove('/old')
  expect(await start({ kind: 'purge', ids: [(await itemAt('/old')).id] })).toMatchObject({ state: 'done' })
  expect((await trashOf(asAnn)).items).toEqual([])
  await remove('/one.txt')
  await remove('/two.txt')
  expect(await start({ kind: 'purge' })).toMatchObject({ state: 'done', count: 2 })
  expect([(await trashOf(asAnn)).items, stored()]).toEqual([[], []])
})

test('what is deleted for good is kept nowhere, by the job and by the request', async () => {
  server.put({ 'good/a.txt': 'a', 'good/b.txt': 'b' })
  expect(await start({ kind: 'delete', items: ['/good/a.txt'], forGood: true })).toMatchObject({ state: 'done' })
  await remove('/good/b.txt?forGood=true')
  expect([isThere('good/a.txt'), isThere('good/b.txt'), stored()]).toEqual([false, false, []])
})

test('another account sees what it could see where it was, and nothing else', async () => {
  server.put({ 'bob/mine.txt': 'm', 'bob/in/deep.txt': 'd', 'private.txt': 'p' })
  await remove('/private.txt')
  await remove('/in/deep.txt', asBob)
  await remove('/bob/mine.txt')
  const [private_, mine] = [await itemAt('/private.txt'), await itemAt('/mine.txt', asBob)]
  expect((await trashOf(asBob)).items.map(({ path }) => path)).toEqual(['/mine.txt', '/in/deep.txt'])
  const asked = jobsOf(asBob)
  const response = await asked.start({ kind: 'purge', ids: [private_.id] }, 20)
  expect(response.status).toBe(404)
  const { past } = private_
  const stolen = {
    kind: 'restore',
    items: [{ past, from: '/private.txt', to: '/stolen.txt' }],
    onConflict: 'skip',
  } as const
  expect(await (await asked.start(stolen, 20)).json()).toMatchObject({
    state: 'failed',
    problem: { code: 'not-found' },
  })
  expect(isThere('bob/stolen.txt')).toBe(false)
  expect((await trashOf(asBob, '?below=/in')).items.map(({ path }) => path)).toEqual(['/in/deep.txt'])
  expect((await trashOf(asBob, '?query=MINE')).items.map(({ id }) => id)).toEqual([mine.id])
  await start({ kind: 'purge' }, asked)
  expect((await trashOf(asAnn)).items.map(({ path }) => path)).toEqual(['/private.txt'])
  await start({ kind: 'purge' })
})

test('an account without the permission to delete neither empties nor purges', async () => {
  await server.addUser('reader', { lacks: ['delete', 'create'] })
  const asReader = await server.as('reader')
  server.put({ 'held.txt': 'h' })
  await remove('/held.txt')
  expect(await itemAt('/held.txt', asReader)).toMatchObject({ canRestore: false, canPurge: false })
  const reader = jobsOf(asReader)
  expect((await reader.start({ kind: 'purge' }, 20)).status).toBe(403)
  await restore(await itemAt('/held.txt'))
})

test('pages follow each other without a gap or a repetition', async () => {
  const names = Array.from({ length: 620 }, (_, index) => `/pages/${index}.txt`)
  server.put(Object.fromEntries(names.map((name) => [name, 'x'])))
  for (const path of names) await keepByHand(server, { path })
  const first = await trashOf(asAnn)
  const second = await trashOf(asAnn, `?before=${first.next}`)
  expect([first.items.length, second.items.length, second.next]).toEqual([500, 120, undefined])
  expect(new Set([...first.items, ...second.items].map(({ path }) => path))).toEqual(new Set(names))
  expect((await asAnn('/api/trash?before=x')).status).toBe(400)
  await start({ kind: 'purge', below: '/pages' })
  expect((await trashOf(asAnn)).items).toEqual([])
})

test('what another program has put into the trash is listed, opened and restored', async () => {
  const trash = join(server.root, storeNames.trash)
  mkdirSync(join(trash, 'files'), { recursive: true })
  writeFileSync(join(trash, 'files', 'from desktop.txt'), 'outside')
  const info = '[Trash Info]\nPath=desk/from%20desktop.txt\nDeletionDate=2026-11-15T18:00:00\n'
  writeFileSync(join(trash, 'info', 'from desktop.txt.trashinfo'), info)
  await server.app.tidy()
  const item = await itemAt('/desk/from desktop.txt')
  expect(item).toMatchObject({ by: 'outside', door: '' })
  expect(await (await asAnn(`/api/raw/desk/from%20desktop.txt?past=${item.past}`)).text()).toBe('outside')
  expect(await restore(item)).toMatchObject({ state: 'done' })
  expect(readFileSync(join(server.root, 'desk/from desktop.txt'), 'utf8')).toBe('outside')
}, 30_000)

test('a version takes the place of the present content, which becomes a version, and can be saved as another file', async () => {
  const save = (body: string) => asAnn('/api/resources/doc.txt', { method: 'PUT', body })
  server.put({ 'doc.txt': 'first' })
  await save('second')
  await save('third')
  const timeline = async () => {
    const rows = await server.app.deps.db.selectFrom('kept').selectAll().where('location', '=', '/doc.txt').execute()
    return rows
      .filter(({ store }) => store === 'versions')
      .toSorted((one, two) => one.kept_at - two.kept_at || (one.id < two.id ? -1 : 1))
  }
  const [first] = await timeline()
  const past = `k.${first?.id}`
  const copied = await start({ kind: 'restore', items: [{ past, from: '/doc.txt', to: '/doc of old.txt' }] })
  expect([copied.state, server.file('doc of old.txt'), (await timeline()).length]).toEqual(['done', 'first', 2])
  const restored = await start({ kind: 'restore', items: [{ past, from: '/doc.txt', to: '/doc.txt' }] })
  expect([restored.state, server.file('doc.txt')]).toEqual(['done', 'first'])
  const contents = (await timeline()).map(({ place }) => server.file(place)).toSorted()
  expect(contents).toEqual(['second', 'third'])
})

test('nothing of the stores shows in listings, searches, archives and sizes of folders', async () => {
  server.put({ 'hidden.txt': 'h' })
  await remove('/hidden.txt')
  const { items } = await jsonIn<{ items: { name: string }[] }>(asRoot('/api/resources/'))
  expect(items.map(({ name }) => name)).not.toContain(storeNames.trash)
  expect(await (await asRoot('/api/search/?query=hidden.txt')).text()).not.toContain('hidden')
  for (const store of Object.values(storeNames))
    expect([403, 404]).toContain((await asRoot(`/api/resources/${store}/`)).status)
})

test('the account that deletes is told that its trash is another one', async () => {
  server.put({ 'told.txt': 't' })
  await using stream = await openEvents(asAnn)
  await remove('/told.txt')
  await stream.until('notice', ({ topic }) => topic === 'history')
})
