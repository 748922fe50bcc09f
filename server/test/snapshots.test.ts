import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderAt, FoundSnapshots, Timeline } from '@filestead/contract'
import { jsonIn, namesIn, statusOf } from './answers.ts'
import { type Btrfs, mountBtrfs } from './btrfs.ts'
import { jobsOf } from './jobs.ts'
import { setGrants } from './past-world.ts'
import { startServer } from './server.ts'

const btrfs = mountBtrfs()
const world = btrfs && (await worldOn(btrfs))
afterAll(async () => {
  await world?.server.stop()
  btrfs?.[Symbol.dispose]()
})

const early = new Date(2020, 0, 1, 12).getTime()
const late = new Date(2020, 0, 2, 12).getTime()

/** A subvolume with two snapshots, and an account that may not see one of its folders. */
async function worldOn({ subvolume, snapshot }: Btrfs) {
  const root = subvolume('data')
  const put = (path: string, content: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  put('a.txt', 'one')
  put('same.txt', 'same')
  put('docs/x.txt', 'x')
  put('docs/deep/y.txt', 'y')
  put('secret/s.txt', 'first secret')
  snapshot(root, 'btrbk_snapshots/data.20200101T1200')
  put('a.txt', 'another')
  rmSync(join(root, 'docs'), { recursive: true })
  put('secret/s.txt', 'second secret')
  snapshot(root, 'btrbk_snapshots/data.20200102T1200')
  rmSync(join(root, 'a.txt'))
  const server = await startServer({ root })
  await server.addUser('ann', { isAdmin: true })
  await server.addUser('ben', { scope: '/home' })
  put('home/keep.txt', 'k')
  await setGrants(server, [
    ['user:2', '/', 'see', 'download', 'create', 'change', 'delete'],
    ['user:2', '/secret'],
  ])
  // With a grant outside of his home, the names of the root folders come first in his paths.
  const ben = await server.as('ben')
  const top = `/${(await namesIn(ben, '/')).find((name) => name.toLowerCase() !== 'home')}`
  return { server, ann: await server.as('ann'), ben, top, root }
}

const momentsOf = ({ moments }: Timeline) => moments.map(({ kind, label, at }) => [kind, label, at])

test.skipIf(world === undefined)(
  'snapshots of a subvolume show in the timeline of a file, where it differs',
  async () => {
    const { ann } = world as NonNullable<typeof world>
    const gone = await jsonIn<Timeline>(ann('/api/timeline/a.txt'))
    expect(momentsOf(gone)).toEqual([
      ['snapshot', 'data.20200102T1200', late],
      ['snapshot', 'data.20200101T1200', early],
    ])
    const texts = gone.moments.map(async ({ past }) => (await ann(`/api/raw/a.txt?past=${past}`)).text())
    expect(await Promise.all(texts)).toEqual(['another', 'one'])
    const same = await jsonIn<Timeline>(ann('/api/timeline/same.txt'))
    expect(same.moments.map(({ kind }) => kind)).toEqual(['now'])
    const removed = await jsonIn<Timeline>(ann('/api/timeline/docs/deep/y.txt'))
    expect(momentsOf(removed)).toEqual([['snapshot', 'data.20200101T1200', early]])
    expect((await jsonIn<Timeline>(ann('/api/timeline/never.txt'))).moments).toEqual([])
  },
)

test.skipIf(world === undefined)('a folder is seen as it was in a snapshot, and stops at its times', async () => {
  const { ann } = world as NonNullable<typeof world>
  const folder = await jsonIn<Timeline>(ann('/api/timeline/docs'))
  expect(momentsOf(folder)).toEqual([['snapshot', 'data.20200101T1200', early]])
  const then = await jsonIn<FolderAt>(ann(`/api/timeline-folder/?at=${early}`))
  expect(then.entries.map(({ name, kind }) => `${name} ${kind}`).sort()).toEqual(
    ['a.txt', 'docs', 'same.txt', 'secret'].map((name) => `${name} snapshot`),
  )
  expect(then.stops).toEqual([late, early])
  const deep = await jsonIn<FolderAt>(ann(`/api/timeline-folder/docs?at=${early}`))
  expect(deep.entries.map(({ path, isDir }) => [path, isDir]).sort()).toEqual([
    ['/docs/deep', true],
    ['/docs/x.txt', false],
  ])
  const listed = await namesIn((path) => ann(`${path}?past=${deep.entries[0]?.past}`), '/docs')
  expect(listed).toEqual(['deep', 'x.txt'])
})

test.skipIf(world === undefined)('a file and a folder are restored from a snapshot', async () => {
  const { server, ann } = world as NonNullable<typeof world>
  const { moments } = await jsonIn<Timeline>(ann('/api/timeline/docs'))
  const past = moments.at(-1)?.past
  const items = [
    { past, from: '/docs', to: '/home/docs' },
    { past, from: '/a.txt', to: '/home/a.txt' },
  ]
  const job = await jobsOf(ann).run({ kind: 'restore', items })
  expect(job).toMatchObject({ state: 'done' })
  const text = async (path: string) => (await ann(`/api/raw${path}`)).text()
  expect(await Promise.all(['/home/docs/deep/y.txt', '/home/a.txt'].map(text))).toEqual(['y', 'one'])
  await server.app.deps.mounts.storageAt('/home').remove('/docs' as never)
})

test.skipIf(world === undefined)('a snapshot shows an account no more than it may see there now', async () => {
  const { ann, ben, top } = world as NonNullable<typeof world>
  const { moments } = await jsonIn<Timeline>(ann('/api/timeline/secret/s.txt'))
  expect(moments.map(({ kind }) => kind)).toEqual(['now', 'snapshot'])
  const past = moments.at(-1)?.past
  expect(await (await ann(`/api/raw/secret/s.txt?past=${past}`)).text()).toBe('first secret')
  const refused = [
    ...[`/api/timeline${top}/secret/s.txt`, `/api/timeline${top}/secret`],
    ...[`/api/timeline-folder${top}/secret?at=${early}`],
    ...[`/api/raw${top}/secret/s.txt?past=${past}`, `/api/resources${top}/secret?past=${past}`],
  ]
  for (const address of refused) {
    // What is there and what never was look alike.
    const missing = address.replace('/secret', '/secret/never')
    expect([address, await statusOf(ben(address)), await statusOf(ben(missing))]).toEqual([address, 403, 403])
  }
  const seen = await jsonIn<FolderAt>(ben(`/api/timeline-folder${top}?at=${early}`))
  expect(seen.entries.map(({ name }) => name)).toEqual(['a.txt', 'docs', 'same.txt'])
  expect(await (await ben(`/api/raw${top}/a.txt?past=${past}`)).text()).toBe('one')
})

test.skipIf(world === undefined)('administrators are told where snapshots were found, and others are not', async () => {
  const { ann, ben, root } = world as NonNullable<typeof world>
  expect(await jsonIn<FoundSnapshots>(ann('/api/mounts/1/snapshots'))).toEqual({
    sources: [{ source: 'btrbk', folder: join(root, '../btrbk_snapshots'), count: 2, newest: late, oldest: early }],
  })
  expect(await statusOf(ben('/api/mounts/1/snapshots'))).toBe(403)
  expect(await statusOf(ann('/api/mounts/99/snapshots'))).toBe(404)
})
