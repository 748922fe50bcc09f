import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rightNames } from '@filestead/contract'
import { draftsBelow } from './disk.ts'
import { operationsOf, startJob, treeIn } from './random-changes.ts'
import type { Ask } from './server.ts'
import { startTwoMounts, type TwoMounts } from './two-mounts.ts'

let isMounted = false
let it: TwoMounts
let [ada, bob] = [undefined, undefined] as unknown as [Ask, Ask]

beforeAll(async () => {
  it = await startTwoMounts({ history: { trash: 'on', versions: true } }, (folder) => {
    const mount = ['mount', '-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder]
    isMounted = Bun.spawnSync(mount, { stderr: 'ignore' }).success
  })
  await it.grant('everybody', `${it.photos}:/`, rightNames)
  for (const name of ['ada', 'bob']) await it.server.addUser(name)
  ada = await it.server.as('ada')
  bob = await it.server.as('bob')
})
afterAll(async () => {
  if (isMounted) Bun.spawnSync(['umount', '-l', it.folder])
  await it.server.stop()
})

const tree = () => treeIn({ '/Files': it.server.root, '/Photos': it.folder })
const undoLast = async (ask: Ask) =>
  startJob(ask, { kind: 'undo', operation: (await operationsOf(ask)).find(({ canUndo }) => canUndo)?.id })

function fillUp(): void {
  const page = Buffer.alloc(4096)
  try {
    for (;;) writeFileSync(join(it.folder, 'ballast'), page, { flag: 'a' })
  } catch {}
}
const makeRoom = () => rmSync(join(it.folder, 'ballast'))

test('a move back to a disk that is full by now fails with everything whole, and works when there is room', async () => {
  if (!isMounted) return console.warn('skipped: no disk can be mounted')
  const content = 'x'.repeat(1_500_000)
  it.put({ big: content, 'box/one': content.slice(0, 400_000), 'box/two': content.slice(0, 400_000) })
  const before = tree()
  const items = ['big', 'box'].map((name) => ({ from: `/Photos/${name}`, to: `/Files/${name}` }))
  expect((await startJob(ada, { kind: 'move', items })).state).toBe('done')
  const moved = tree()
  fillUp()
  const failed = await undoLast(ada)
  expect(failed).toMatchObject({ state: 'failed', problem: { code: 'no-space' } })
  makeRoom()
  expect(tree()).toEqual(moved)
  expect(draftsBelow(it.folder)).toEqual([])
  expect(await undoLast(ada)).toMatchObject({ state: 'done', failures: [] })
  expect(tree()).toEqual(before)
})

test('saves and removals on a full disk are taken back: that takes no room', async () => {
  if (!isMounted) return console.warn('skipped: no disk can be mounted')
  it.put({ 'a.txt': 'first', 'gone/b.txt': 'b' })
  const before = tree()
  await ada('/api/resources/Photos/a.txt', { method: 'PUT', body: 'second' })
  await ada('/api/resources/Photos/gone', { method: 'DELETE' })
  fillUp()
  for (const { id } of (await operationsOf(ada)).slice(0, 2))
    expect(await startJob(ada, { kind: 'undo', operation: id })).toMatchObject({ state: 'done', failures: [] })
  makeRoom()
  expect(tree()).toEqual(before)
})

test('what others write while it is taken back is neither replaced nor removed', async () => {
  const names = Array.from({ length: 24 }, (_, index) => `n${index}.txt`)
  it.server.put(Object.fromEntries(names.map((name) => [`from/${name}`, `of ada ${name}`])))
  const items = names.map((name) => ({ from: `/Files/from/${name}`, to: `/Files/to/${name}` }))
  expect((await startJob(ada, { kind: 'move', items })).state).toBe('done')
  const undoing = undoLast(ada)
  const written = await Promise.all(
    names.map(async (name) => {
      const answer = await bob(`/api/resources/Files/from/${name}`, { method: 'POST', body: `of bob ${name}` })
      return answer.status === 200 ? name : undefined
    }),
  )
  await undoing
  const texts = ['from', 'to'].flatMap((folder) => {
    const place = join(it.server.root, folder)
    return readdirSync(place).map((name) => readFileSync(join(place, name), 'utf8'))
  })
  const all = [...names.map((name) => `of ada ${name}`), ...written.flatMap((name) => (name ? [`of bob ${name}`] : []))]
  expect(texts.sort()).toEqual(all.sort())
})

test('of ten at once that take back the same, one does, and all of it', async () => {
  it.server.put({ 'ten/a': 'a', 'ten/b': 'b' })
  const before = tree()
  await startJob(ada, { kind: 'delete', items: ['/Files/ten/a', '/Files/ten/b'] })
  const [last] = await operationsOf(ada)
  const all = await Promise.all(Array.from({ length: 10 }, () => startJob(ada, { kind: 'undo', operation: last?.id })))
  expect(all.filter(({ state, failures }) => state === 'done' && failures.length === 0)).toHaveLength(1)
  expect(tree()).toEqual(before)
})
