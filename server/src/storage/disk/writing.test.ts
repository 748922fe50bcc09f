import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Errno } from '../linux/errno.ts'
import { addWatch, IN, openInotify, readEvents } from '../linux/inotify.ts'
import { type Kernel, linuxKernel, O } from '../linux/kernel.ts'
import { parsePath } from '../path.ts'
import { makeDisk, makeFolder, makeHandle, removeFolders } from '../testing/disk.fixture.ts'
import { memoryLedger } from '../testing/ledger.fixture.ts'
import { recordingKernel } from '../testing/recording.fixture.ts'
import { refusalOf } from '../testing/subject.fixture.ts'

afterAll(removeFolders)

const small = { length: 3 }

/** A ledger that counts the drafts that were ever noted. */
function countingLedger() {
  const ledger = memoryLedger()
  const noted: string[] = []
  return {
    noted,
    ledger: {
      ...ledger,
      begin(draft: string) {
        noted.push(draft)
        return ledger.begin(draft)
      },
    },
  }
}

/** Whatever file system the tests run on. */
const kernelHere = (): Kernel => ({ ...linuxKernel(), canNameLater: () => true })

const refusing = (call: keyof Kernel, code: string): Kernel => ({
  ...kernelHere(),
  [call]: () => {
    throw new Errno(code, call)
  },
})

test('a small new file has no name before its own, and nothing is noted about it', async () => {
  const { noted, ledger } = countingLedger()
  const root = await makeFolder()
  const seen: string[][] = []
  const kernel = { ...kernelHere() }
  const giveName = kernel.giveName
  kernel.giveName = (...args) => {
    seen.push(readdirSync(root))
    giveName(...args)
  }
  const { write, read } = await makeHandle(makeDisk({ kernel, ledger }), root)
  await write('/a', 'new', small)
  expect([seen, noted, await read('/a')]).toEqual([[[]], [], 'new'])
})

const stepsOf = async (parts: Partial<Kernel>): Promise<string[]> => {
  const calls: [call: keyof Kernel, first: unknown][] = []
  const { write } = await makeHandle(makeDisk({ kernel: recordingKernel({ ...kernelHere(), ...parts }, calls) }))
  await write('/a', 'new', small)
  return calls.map(([call]) => call).filter((call) => ['write', 'writeOut', 'sync', 'giveName'].includes(call))
}

test('its bytes are on the disk before it has its name, and it is synced with its folder afterwards', async () => {
  expect(await stepsOf({ keepsOrder: () => false })).toEqual(['write', 'writeOut', 'giveName', 'sync', 'sync'])
  expect(await stepsOf({ keepsOrder: () => true })).toEqual(['write', 'writeOut', 'giveName', 'sync'])
})

test('where the system does not write bytes out, it is synced before it has its name', async () => {
  const writeOut = () => {
    throw new Errno('ENOSYS', 'sync_file_range')
  }
  expect(await stepsOf({ writeOut, keepsOrder: () => true })).toEqual(['write', 'writeOut', 'sync', 'giveName', 'sync'])
})

test('a disk that fails to take its bytes leaves no file', async () => {
  const { write, tree } = await makeHandle(makeDisk({ kernel: refusing('writeOut', 'EIO') }))
  await refusalOf(write('/a', 'new', small))
  expect(await tree()).toEqual({})
})

test.each([
  ['openNameless', 'EOPNOTSUPP'],
  ['openNameless', 'EISDIR'],
  ['giveName', 'EPERM'],
  ['giveName', 'EACCES'],
  ['giveName', 'ENOENT'],
] as const)('where the file system refuses %s with %s there is a draft', async (call, code) => {
  const { noted, ledger } = countingLedger()
  const { write, read, tree } = await makeHandle(makeDisk({ kernel: refusing(call, code), ledger }))
  await write('/p/a', 'new', small)
  expect(await read('/p/a')).toBe('new')
  expect(await tree()).toEqual({ '/p/': '', '/p/a': 'new' })
  expect([noted.length, ledger.rows.size]).toEqual([1, 0])
})

test('where a file is not safe, or not fast, without a name there is a draft', async () => {
  const { noted, ledger } = countingLedger()
  const kernel = { ...linuxKernel(), canNameLater: () => false }
  const { write, tree } = await makeHandle(makeDisk({ kernel, ledger }))
  await write('/a', 'new', small)
  expect([noted.length, ledger.rows.size, await tree()]).toEqual([1, 0, { '/a': 'new' }])
})

test('a program that watches the folder for finished files hears of it under its name', async () => {
  const { write, root } = await makeHandle()
  const kernel = linuxKernel()
  const [inotify, folder] = [openInotify(), kernel.open(-1, root, O.RDONLY | O.DIRECTORY)]
  try {
    addWatch(inotify, folder, 'present')
    await write('/a', 'new', small)
    const told = readEvents(inotify).filter(({ name }) => name === 'a')
    expect(told.at(-1)?.mask).toBe(IN.CLOSE_WRITE)
  } finally {
    kernel.close(folder)
    kernel.close(inotify)
  }
})

test('a folder that is closed to us is the same refusal as with a draft', async () => {
  const { write, tree } = await makeHandle(makeDisk({ kernel: refusing('openNameless', 'EACCES') }))
  expect(await refusalOf(write('/a', 'new', small))).toMatchObject({ code: 'forbidden' })
  expect(await tree()).toEqual({})
})

/** Another program takes the name at the very last moment. */
async function takenMeanwhile(take: (path: string) => void) {
  const root = await makeFolder()
  const kernel = { ...kernelHere() }
  const giveName = kernel.giveName
  kernel.giveName = (...args) => {
    take(join(root, 'a'))
    giveName(...args)
  }
  return makeHandle(makeDisk({ kernel }), root)
}

test('a name that is taken at the very last moment is not replaced, unless that is wanted', async () => {
  const theirs = await takenMeanwhile((path) => writeFileSync(path, 'theirs'))
  expect(await refusalOf(theirs.write('/a', 'new', small))).toMatchObject({ code: 'already-exists' })
  expect(await theirs.tree()).toEqual({ '/a': 'theirs' })

  const { write, root } = await takenMeanwhile((path) => writeFileSync(path, 'theirs'))
  await write('/a', 'new', { ...small, precondition: 'any' })
  expect([readFileSync(join(root, 'a'), 'utf8'), readdirSync(root)]).toEqual(['new', ['a']])
})

test('neither a folder nor a link that turns up at the last moment is replaced', async () => {
  const folder = await takenMeanwhile((path) => mkdirSync(path))
  const wanted = { ...small, precondition: 'any' } as const
  expect(await refusalOf(folder.write('/a', 'new', wanted))).toMatchObject({ code: 'already-exists' })
  const link = await takenMeanwhile((path) => symlinkSync('elsewhere', path))
  expect(await refusalOf(link.write('/a', 'new', wanted))).toMatchObject({ code: 'changed-meanwhile' })
  expect([readdirSync(folder.root), readdirSync(link.root)]).toEqual([['a'], ['a']])
})

test('what ends before its length leaves nothing', async () => {
  const { storage, tree } = await makeHandle()
  async function* short() {
    yield Buffer.from('ne')
  }
  const writing = storage.write(parsePath('/a'), short(), { precondition: 'absent', length: 3 })
  expect(await refusalOf(writing)).toMatchObject({ code: 'incomplete' })
  expect(await tree()).toEqual({})
})
