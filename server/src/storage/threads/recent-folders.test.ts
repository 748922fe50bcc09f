import { expect, test } from 'bun:test'
import { parsePath } from '../path.ts'
import type { Entry, Found, OpenFile } from '../port.ts'
import type { QuietFolders } from './quiet-folders.ts'
import { recentFolders } from './recent-folders.ts'

// Over a kernel that lets every folder be watched and tells of no change, with a clock of its own.

function make() {
  let [time, held] = [0, 0]
  const quiet: QuietFolders = {
    begin<Value>() {
      let kept: Value | undefined
      return {
        add: async (folder) => folder,
        keep(value: Value) {
          kept = value
          held += 1
        },
        value: () => kept,
        end() {
          if (kept !== undefined) held -= 1
          kept = undefined
        },
      }
    },
    count: 0,
    close() {},
  }
  const recent = recentFolders(quiet, () => time)
  /** As a request asks for it: what is known, or else what `find` finds. */
  async function ask(name: string, find: () => Promise<Found>): Promise<Found> {
    time += 1
    return recent.known(name) ?? recent.read(name, () => parsePath(`/${name}`), find)
  }
  const pass = (milliseconds: number) => {
    time += milliseconds
  }
  return { ask, pass, held: () => held }
}

function folderOf(name: string, count: number): Found {
  const entry = (of: string) => ({ name: of, id: `/${of}`, kind: 'file', isLink: false }) as unknown as Entry
  return { entry: entry(name), entries: Array.from({ length: count }, (_, index) => entry(`${index}`)) }
}

async function isKept(ask: ReturnType<typeof make>['ask'], name: string, count: number): Promise<boolean> {
  let reads = 0
  const find = async () => {
    reads += 1
    return folderOf(name, count)
  }
  for (let times = 0; times < 3; times += 1) await ask(name, find)
  const before = reads
  await ask(name, find)
  return reads === before
}

test('folders that nobody asks for any more take no room', async () => {
  const { ask, pass, held } = make()
  for (let index = 0; index < 6; index += 1) expect(await isKept(ask, `large ${index}`, 999)).toBe(true)
  expect(await isKept(ask, 'one more', 500)).toBe(false)
  pass(1000)
  expect(await isKept(ask, 'another one', 500)).toBe(true)
  expect(held()).toBe(1)
})

test('a file that took the place of a folder while that was about to be watched is closed', async () => {
  const { ask } = make()
  const open = new Set<number>()
  let opened = 0
  const findFile = async (): Promise<Found> => {
    opened += 1
    const number = opened
    open.add(number)
    const file = { close: () => open.delete(number) } as unknown as OpenFile
    return { entry: { id: 'a file' } as Entry, file }
  }
  const folder = async () => folderOf('place', 3)
  for (let times = 0; times < 2; times += 1) await ask('place', folder)
  const { file } = await ask('place', findFile)
  expect(open.size).toBe(1)
  file?.close()
  expect(open.size).toBe(0)
})
