import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statfsSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsePath } from '../path.ts'
import { makeDisk, makeFolder, makeHandle, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { openBeneath } from '../testing/open-files.fixture.ts'
import { codeOf } from './errno.ts'
import { type Kernel, linuxKernel, O } from './kernel.ts'

afterAll(removeFolders)

describe('openat2 and the walk without it', () => {
  const paths = [
    '.', 'file', 'folder', 'folder/a', 'folder/deep/b', 'none', 'none/a', 'file/a', 'folder/none', 'folder/a/b',
    'to-folder', 'to-folder/a', 'to-file', 'to-file/a', 'dangling', 'dangling/a', 'circle', 'circle/a', 'out', 'out/etc',
    'folder/up', 'folder/up/file', 'folder/x', 'file/to-folder', 'closed', 'closed/a', 'x'.repeat(256), `folder/${'x'.repeat(256)}`,
    `${'y/'.repeat(2500)}z`, '😀',
  ] // biome-ignore format: a table
  const flags = {
    'any folder': O.RDONLY | O.DIRECTORY,
    'a folder': O.PATH | O.DIRECTORY,
    'a file': O.RDONLY | O.NONBLOCK,
    'the name itself': O.PATH | O.NOFOLLOW,
  }

  async function makeTree(): Promise<string> {
    const root = await makeFolder()
    await putFiles(root, { '/file': '', '/folder/a': '', '/folder/deep/b': '', '/closed/a': '', '/😀': '' })
    for (const [target, path] of [
      ['folder', 'to-folder'],
      ['folder/a', 'to-file'],
      ['nowhere', 'dangling'],
      ['circle', 'circle'],
      ['/', 'out'],
      ['..', 'folder/up'],
      ['file', 'x'],
    ] as const)
      symlinkSync(target, join(root, path))
    return root
  }

  function outcome(kernel: Kernel, root: string, path: string, flags: number): string {
    const base = kernel.open(-1, root, O.PATH | O.DIRECTORY)
    try {
      const fd = kernel.openBeneath(base, path, flags)
      const { inode, device } = kernel.statOpen(fd)
      kernel.close(fd)
      return `${device}:${inode}`
    } catch (error) {
      return codeOf(error) ?? String(error)
    } finally {
      kernel.close(base)
    }
  }

  test.each(Object.entries(flags))('agree about opening %s', async (_, flags) => {
    const root = await makeTree()
    const descriptors = openBeneath(root)
    const [one, two] = [linuxKernel(), linuxKernel({ openat2: false })]
    const all = (kernel: Kernel) => Object.fromEntries(paths.map((path) => [path, outcome(kernel, root, path, flags)]))
    expect(all(two)).toEqual(all(one))
    expect(new Set(Object.values(all(one))).size).toBeGreaterThan(6)
    expect(openBeneath(root)).toEqual(descriptors)
  })

  test('neither follows a link or leaves the folder', async () => {
    const root = await makeTree()
    for (const kernel of [linuxKernel(), linuxKernel({ openat2: false })])
      for (const path of ['to-folder/a', 'out/etc', 'out', 'folder/up/file', 'dangling'])
        expect([path, outcome(kernel, root, path, O.RDONLY)]).toEqual([path, 'ELOOP'])
  })
})

test('the facts are those that node:fs tells', async () => {
  const kernel = linuxKernel()
  const root = await makeFolder()
  await putFiles(root, { '/file': 'content' })
  mkdirSync(join(root, 'box'))
  for (const name of ['/file', '/box', '/', '/../..']) {
    const { mode, size, ino, dev, nlink, uid, gid, mtimeNs } = statSync(root + name, { bigint: true })
    const fd = kernel.open(-1, root + name, O.PATH)
    const facts = kernel.statOpen(fd)
    kernel.close(fd)
    expect([facts.mode, facts.size, facts.inode, facts.device]).toEqual([mode, size, ino, dev].map(Number))
    expect([facts.links, facts.uid, facts.gid]).toEqual([nlink, uid, gid].map(Number))
    expect(BigInt(facts.seconds) * 1_000_000_000n + BigInt(facts.nanoseconds)).toBe(mtimeNs)
  }
})

test('times before 1970 and after 2038 survive a copy', async () => {
  const to = await makeHandle()
  const kernel = linuxKernel()
  for (const seconds of [-86_400, 4_102_444_800]) {
    const path = `/${seconds}`
    await to.write(path, '')
    const fd = kernel.open(-1, to.root + path, O.RDONLY)
    kernel.setTimes(fd, seconds, 123_456_789)
    kernel.close(fd)
    await to.copy(path, `${path}-copy`)
    expect(await to.stat(`${path}-copy`)).toMatchObject({ seconds, nanoseconds: 123_456_789 })
  }
})

test.each([true, false])(
  'thousands of calls, good and bad, leave no descriptor open (openat2: %p)',
  async (openat2) => {
    const root = await makeFolder()
    symlinkSync('box', join(root, 'link'))
    const to = await makeHandle(makeDisk({ kernel: linuxKernel({ openat2 }) }), root)
    const below = to.storage.beneath(parsePath('/box'))
    const round = async () => {
      const outcomes = await Promise.allSettled([
        to.write('/box/a', 'x', { precondition: 'any' }),
        to.write('/box/b', 'x', { precondition: 'any', length: 3 }),
        to.write('/none/a', 'x', { precondition: 'present' }),
        to.createFolder('/box/deep/er'),
        to.createFolder('/box/a/b'),
        to.read('/box/a'),
        to.read('/box'),
        to.read('/none'),
        to.list('/box'),
        to.list('/box/a'),
        to.list('/link'),
        to.stat('/link/a'),
        to.stat('/box/a'),
        to.resolve('/link/a'),
        to.resolve('/none/a'),
        to.copy('/box/a', '/copy', true),
        to.copy('/box', '/box/deep'),
        to.copy('/box', '/copy', true),
        to.rename('/copy', '/moved', true),
        to.rename('/none', '/moved'),
        to.remove('/moved'),
        to.remove('/none'),
        to.storage.usage(parsePath('/box')),
        below.stat(parsePath('/a')),
        below.stat(parsePath('/none')),
      ])
      return outcomes.filter((outcome) => outcome.status === 'rejected').length
    }
    await round()
    const before = openBeneath(root)
    let [calls, failures] = [0, 0]
    for (; calls < 2500; calls += 25) failures += await round()
    expect(failures).toBeGreaterThan(calls / 4)
    expect(openBeneath(root)).toEqual(before)
  },
)

describe('names that are not UTF-8', () => {
  const odd = Buffer.from([0x61, 0xff, 0xfe, 0x2e, 0x74])
  const inFolder = (folder: string, name: Buffer) => Buffer.concat([Buffer.from(`${folder}/`), name])
  const bytesIn = (folder: string) => readdirSync(folder, { encoding: 'buffer' }).map((name) => name.toString('latin1'))

  async function withOddNames() {
    const to = await makeHandle()
    await to.createFolder('/box/other')
    writeFileSync(inFolder(`${to.root}/box`, odd), 'content')
    mkdirSync(inFolder(`${to.root}/box/other`, odd))
    writeFileSync(inFolder(`${to.root}/box/other`, Buffer.concat([odd, Buffer.from('/b')])), 'deep')
    symlinkSync(odd, inFolder(`${to.root}/box`, Buffer.from([0xc0])))
    return to
  }

  test('are listed with replacement marks and cannot be addressed', async () => {
    const { names, read, storage } = await withOddNames()
    expect(await names('/box')).toEqual(['a\ufffd\ufffd.t', 'other', '\ufffd'])
    await expect(read('/box/a\ufffd\ufffd.t')).rejects.toMatchObject({ code: 'not-found' })
    const heads = await storage.peek(parsePath('/box'), ['a\ufffd\ufffd.t'])
    expect([...heads.values()]).toEqual([new Uint8Array()])
  })

  test('a true replacement mark is a name like any other', async () => {
    const { write, read, copy, remove, names } = await makeHandle()
    await write('/box/a\ufffd', 'x')
    await copy('/box', '/copy')
    expect(await read('/copy/a\ufffd')).toBe('x')
    await remove('/copy/a\ufffd')
    expect(await names('/copy')).toEqual([])
  })

  test('come along with a copy of their folder, byte by byte', async () => {
    const { copy, rename, remove, root } = await withOddNames()
    const [before, beforeDeep] = [bytesIn(`${root}/box`), bytesIn(`${root}/box/other`)]
    await copy('/box', '/copy')
    expect(bytesIn(`${root}/copy`).sort()).toEqual(before.sort())
    expect(bytesIn(`${root}/copy/other`)).toEqual(beforeDeep)
    await copy('/box', '/copy', true)
    await rename('/box', '/copy', true)
    await rename('/copy', '/moved')
    expect(bytesIn(`${root}/moved`).sort()).toEqual(before.sort())
    expect(statSync(inFolder(`${root}/moved`, odd)).size).toBe(7)
    await remove('/moved')
    expect(bytesIn(root)).toEqual([])
  })
})

test('the space of a file system is what the system says, and a descriptor that is none is refused', async () => {
  const root = await makeFolder()
  const kernel = linuxKernel()
  const folder = kernel.open(-1, root, O.RDONLY | O.DIRECTORY)
  const { blocks, frsize } = statfsSync(root)
  const { total, available } = kernel.space(folder)
  kernel.close(folder)
  expect(total).toBe(blocks * frsize)
  expect(available > 0 && available <= total).toBe(true)
  expect(() => kernel.space(-1)).toThrow('EBADF')
})

test('a name that is free is seen as nothing, and one that cannot be looked at is an error', async () => {
  const to = await makeHandle()
  await to.write('/a', 'content')
  const kernel = linuxKernel()
  const folder = kernel.open(-1, to.root, O.RDONLY | O.DIRECTORY)
  const [there, free] = [kernel.look(folder, 'a'), kernel.look(folder, 'b')]
  expect(there).toEqual(kernel.stat(folder, 'a'))
  expect(free).toBeUndefined()
  expect(() => kernel.look(folder, 'a/b')).toThrow('ENOTDIR')
  kernel.close(folder)
})

test('any number of pieces is written in order', async () => {
  const file = join(await makeFolder(), 'file')
  // A sender may cut its bytes as small as it likes. Were the rest of them copied for every call, so many would take
  // minutes; in a process of their own, because nothing else can be stopped there.
  const script = `
    import { linuxKernel, O } from ${JSON.stringify(join(import.meta.dirname, 'kernel.ts'))}
    const kernel = linuxKernel()
    const digits = Array.from({ length: 10 }, (_, digit) => Buffer.from(String(digit)))
    const fd = kernel.open(-1, ${JSON.stringify(file)}, O.RDWR | O.CREAT, 0o600)
    await kernel.write(fd, Array.from({ length: 3_000_000 }, (_, index) => digits[index % 10]), 0)`
  const { exitCode } = Bun.spawnSync([process.execPath, '-e', script], { timeout: 25_000 })
  expect(exitCode).toBe(0)
  expect(readFileSync(file, 'utf8') === '0123456789'.repeat(300_000)).toBe(true)
})

test('a folder that has not changed is known again, whatever was read between', async () => {
  const root = await makeFolder()
  const kernel = linuxKernel()
  const folders = Array.from({ length: 12 }, (_, index) => join(root, `folder ${index}`))
  for (const [index, folder] of folders.entries())
    await putFiles(
      folder,
      Object.fromEntries(
        Array.from({ length: 30 }, (_, file) => [`/${'x'.repeat(1 + ((index * file) % 17))}${file}`, '']),
      ),
    )
  const read = (folder: string) => {
    const fd = kernel.open(-1, folder, O.RDONLY | O.DIRECTORY)
    try {
      return kernel.readFolder(fd)
    } finally {
      kernel.close(fd)
    }
  }
  const first = folders.map(read)
  for (let times = 1; times <= 3; times += 1)
    for (const [index, folder] of [...folders.entries()].reverse()) expect(read(folder) === first[index]).toBe(true)
})
