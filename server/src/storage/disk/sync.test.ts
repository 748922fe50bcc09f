import { expect, test } from 'bun:test'
import { syncFolder } from './sync.ts'

/** A kernel whose syncs end when they are told to. */
function slowKernel() {
  const syncs: { fd: number; end: () => void; fail: (error: Error) => void }[] = []
  return {
    syncs,
    statOpen: () => ({ device: 1, inode: 2 }) as never,
    sync: (fd: number) =>
      new Promise<void>((resolve, reject) => {
        syncs.push({ fd, end: resolve, fail: reject })
      }),
  }
}

test('a folder is synced again, and once, for all that came while it was being synced', async () => {
  const kernel = slowKernel()
  const done: number[] = []
  const all = [1, 2, 3].map((fd) => syncFolder(kernel, fd).then(() => done.push(fd)))
  expect(kernel.syncs.map(({ fd }) => fd)).toEqual([1])
  kernel.syncs[0]?.end()
  await all[0]
  await Bun.sleep(0)
  expect([done, kernel.syncs.map(({ fd }) => fd)]).toEqual([[1], [1, 2]])
  kernel.syncs[1]?.end()
  await Promise.all(all)
  const later = syncFolder(kernel, 4)
  expect(kernel.syncs.map(({ fd }) => fd)).toEqual([1, 2, 4])
  kernel.syncs[2]?.end()
  await later
})

test('a sync of a folder that fails is told to all that waited for it, and to no other', async () => {
  const kernel = slowKernel()
  const results = [1, 2, 3].map((fd) => syncFolder(kernel, fd).then(() => 'safe', String))
  kernel.syncs[0]?.end()
  await results[0]
  await Bun.sleep(0)
  kernel.syncs[1]?.fail(new Error('broken'))
  expect(await Promise.all(results)).toEqual(['safe', 'Error: broken', 'Error: broken'])
})
