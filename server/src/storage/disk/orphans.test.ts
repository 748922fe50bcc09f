import { afterAll, expect, mock, spyOn, test } from 'bun:test'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { type Kernel, linuxKernel, O } from '../linux/kernel.ts'
import { draftPrefix, movingPrefix, parsePath } from '../path.ts'
import { filesIn, makeDisk, makeFolder, makeHandle, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { faultyKernel } from '../testing/faulty.ts'
import { orphanQueue } from '../threads/orphan-queue.ts'
import { discardOrphan, orphansAmong, orphansIn } from './orphans.ts'

afterAll(removeFolders)

const now = 1_800_000_000

async function make({ known = [] as string[], kernel = linuxKernel() as Kernel } = {}) {
  const root = await makeFolder()
  const asked: string[] = []
  const age = { now, least: 3600 }
  const queue = orphanQueue(async (place) => {
    asked.push(place)
    if (!known.some((name) => place.endsWith(name))) await discardOrphan(kernel, place, age)
  })
  const orphans = {
    sawAmong: (folder: number, items: readonly { name: string }[]) =>
      queue.add(orphansAmong(kernel, folder, items, age)),
    look: async (folder: string) => queue.add(await orphansIn(kernel, folder, age)),
    settled: queue.settled,
  }
  const put = async (path: string, seconds: number) => {
    await putFiles(root, { [path]: 'x' })
    utimesSync(join(root, path), seconds, seconds)
  }
  return { root, orphans, asked, put, to: await makeHandle(makeDisk({ orphans }), root) }
}

const hidden = (name: string) => `${draftPrefix}${name}`
const names = async (root: string) => Object.keys(await filesIn(root)).sort()

test.each(['list', 'names'] as const)('%s finds old drafts of no known work; all others stay', async (verb) => {
  const { root, orphans, asked, put, to } = await make({ known: ['known'] })
  await put(`/${hidden('old')}`, now - 4000)
  await put(`/${hidden('known')}`, now - 4000)
  await put(`/${hidden('young')}`, now - 3000)
  await put(`/box/${hidden('deep')}`, now - 4000)
  await put(`/${hidden('tree')}/deep/a`, now - 4000)
  utimesSync(join(root, hidden('tree')), now - 4000, now - 4000)
  await put('/old.txt', now - 4000)
  await put('/.filestead-drafts', now - 4000)
  await to.storage[verb](parsePath('/'))
  await orphans.settled()
  expect(await names(root)).toEqual([
    '/.filestead-draft-known',
    '/.filestead-draft-young',
    '/.filestead-drafts',
    '/box/',
    '/box/.filestead-draft-deep',
    '/old.txt',
  ])
  expect(asked.sort()).toEqual(['known', 'old', 'tree'].map((name) => join(root, hidden(name))))
  await to.storage[verb](parsePath('/box'))
  await orphans.settled()
  expect(await names(root)).not.toContain('/box/.filestead-draft-deep')
})

test('a folder that is removed is old and hidden, but no orphan', async () => {
  const linux = linuxKernel()
  const root = await makeFolder()
  const age = { now: Date.now(), least: 0 }
  const queue = orphanQueue((place) => discardOrphan(linux, place, age))
  const orphans = {
    sawAmong: (folder: number, items: readonly { name: string }[]) =>
      queue.add(orphansAmong(linux, folder, items, age)),
    settled: queue.settled,
  }
  let seen = 0
  const kernel: Kernel = {
    ...linux,
    unlink(folder, name) {
      if (seen === 0) {
        const parent = linux.open(-1, root, O.DIRECTORY)
        const items = linux.readNames(parent) ?? []
        seen = items.length
        orphans.sawAmong(parent, items)
        linux.close(parent)
      }
      linux.unlink(folder, name)
    },
  }
  const to = await makeHandle(makeDisk({ kernel, orphans }), root)
  await putFiles(root, { '/box/a': '1', '/box/b': '2' })
  await to.remove('/box')
  await orphans.settled()
  expect([seen, await filesIn(root)]).toEqual([1, {}])
})

test('a folder that holds what a process moves to another disk stays, however old that seems to be, and it is seen', async () => {
  const { root, to, seen } = await withHidden()
  spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * 86_400_000)
  try {
    await expect(to.remove('/box')).rejects.toMatchObject({ code: 'locked' })
    const merging = to.storage.rename(parsePath('/box'), parsePath('/other'), { replace: true })
    await expect(merging).rejects.toMatchObject({ code: 'locked' })
  } finally {
    mock.restore()
  }
  expect(seen).toEqual([source, source])
  expect(await filesIn(root)).toMatchObject({ '/box/a': '1', [`/box/deep/${source}`]: 'on its way' })
})

test('a folder that holds it can be copied, into one that is there, too', async () => {
  const { root, to } = await withHidden()
  await to.storage.copy(parsePath('/box'), parsePath('/other'), { replace: true })
  expect(await filesIn(root)).toMatchObject({ '/other/a': '1', '/other/deep/': '' })
  expect(await filesIn(root)).not.toHaveProperty(`/other/deep/${source}`)
})

const source = `${movingPrefix}0f8fad5b-d9cb-469f-a165-70867728950e`

async function withHidden() {
  const root = await makeFolder()
  const seen: string[] = []
  const orphans = {
    sawAmong: (_: number, items: readonly { name: string }[]) => void seen.push(...items.map(({ name }) => name)),
  }
  const to = await makeHandle(makeDisk({ orphans }), root)
  await putFiles(root, { '/box/a': '1', [`/box/deep/${source}`]: 'on its way', '/other/deep/b': '2' })
  return { root, to, seen }
}

test('a disk that fails, or a folder that is gone, costs nothing but the look', async () => {
  for (let failingCall = 1; failingCall <= 8; failingCall += 1) {
    const { root, orphans, put } = await make({ kernel: faultyKernel(linuxKernel(), failingCall) })
    await put(`/${hidden('old')}`, now - 4000)
    await put('/kept', now - 4000)
    await orphans.look(root).catch(() => {})
    await orphans.settled()
    await orphans.look(root)
    await orphans.settled()
    expect(await names(root)).toEqual(['/kept'])
  }
})
