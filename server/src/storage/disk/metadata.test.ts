import { afterAll, expect, test } from 'bun:test'
import { chmodSync, chownSync, linkSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import { Errno } from '../linux/errno.ts'
import { type Kernel, linuxKernel } from '../linux/kernel.ts'
import { parsePath } from '../path.ts'
import { attributeOf, setAttribute } from '../testing/attributes.fixture.ts'
import { filesIn, makeDisk, makeFolder, makeHandle, removeFolders } from '../testing/disk.fixture.ts'
import { memoryLedger } from '../testing/ledger.fixture.ts'
import { recordingKernel } from '../testing/recording.fixture.ts'

afterAll(removeFolders)

const isRoot = process.getuid?.() === 0
const hasAttributes = canHaveAttributes()

test('a save writes, syncs the draft, renames and syncs the folder, in this order', async () => {
  const { write, root } = await makeHandle()
  await write('/box/a', 'old')
  const calls: [keyof Kernel, unknown][] = []
  const ledger = memoryLedger()
  const recorded = await makeHandle(makeDisk({ kernel: recordingKernel(linuxKernel(), calls), ledger }))
  await recorded.write('/new', '1')
  for (const precondition of ['present', 'any'] as const) {
    calls.length = 0
    await recorded.write('/new', 'abc', { precondition })
    const order = calls.filter(([name]) => ['write', 'sync', 'rename', 'renameToFree'].includes(name))
    expect(order.map(([name]) => name)).toEqual(['write', 'sync', 'rename', 'sync'])
    const [draft, folder] = [order[0]?.[1], order[2]?.[1]]
    expect(order.map(([, fd]) => fd)).toEqual([draft, draft, folder, folder])
  }
  calls.length = 0
  await recorded.write('/p/q/new', 'abc')
  const order = calls.filter(([name]) => ['makeFolder', 'write', 'sync', 'rename', 'renameToFree'].includes(name))
  expect(order.map(([name]) => name)).toEqual([
    'makeFolder',
    'sync',
    'makeFolder',
    'sync',
    'write',
    'sync',
    'renameToFree',
    'sync',
  ])
  expect(ledger.rows.size).toBe(0)
  expect(await filesIn(root)).toEqual({ '/box/': '', '/box/a': 'old' })
})

test('a new file has the mode of the settings, less the umask', async () => {
  const { write, createFolder, stat } = await makeHandle(makeDisk({ modes: () => ({ file: 0o666, folder: 0o777 }) }))
  await write('/a', '')
  await createFolder('/box')
  const [file, folder] = [await stat('/a'), await stat('/box')]
  expect([file.mode, folder.mode]).toEqual([0o666 & ~process.umask(), 0o777 & ~process.umask()])
})

test('a new version keeps the mode of the old one', async () => {
  const { write, stat, root } = await makeHandle()
  await write('/a', '1')
  chmodSync(join(root, 'a'), 0o607)
  await write('/a', '2', { precondition: 'any' })
  expect(await stat('/a')).toMatchObject({ mode: 0o607 })
})

test('new bytes, and bytes with a new owner, do not run as another user', async () => {
  const { write, copy, stat, root } = await makeHandle()
  await write('/a', '1')
  await write('/box/b', '1')
  for (const path of ['a', 'box/b']) chmodSync(join(root, path), 0o6755)
  await copy('/a', '/copy')
  await copy('/box', '/box2')
  await write('/a', '2', { precondition: 'any' })
  for (const path of ['/a', '/copy', '/box2/b']) expect(await stat(path)).toMatchObject({ mode: 0o755 })
})

test('a copy has the mode of its original, and one that replaces a file that of the file', async () => {
  const { write, copy, stat, root } = await makeHandle()
  await write('/box/a', '1')
  await write('/b', '2')
  chmodSync(join(root, 'box/a'), 0o604)
  chmodSync(join(root, 'box'), 0o2751)
  await copy('/box', '/copy')
  await copy('/box/a', '/free')
  await copy('/box/a', '/b', true)
  expect(await stat('/copy')).toMatchObject({ mode: 0o2751 })
  expect(await stat('/copy/a')).toMatchObject({ mode: 0o604 })
  expect(await stat('/free')).toMatchObject({ mode: 0o604 })
  expect(await stat('/b')).toMatchObject({ mode: 0o640 })
})

test.if(isRoot)('a new version keeps the owner and the group', async () => {
  const { write, copy, root } = await makeHandle()
  await write('/a', '1')
  await write('/b', '2')
  chownSync(join(root, 'a'), 1234, 4321)
  await write('/a', '2', { precondition: 'any' })
  await copy('/b', '/a', true)
  expect(statSync(join(root, 'a'))).toMatchObject({ uid: 1234, gid: 4321, size: 1 })
})

test('an owner that cannot be kept is no reason to fail', async () => {
  const refusing = { ...linuxKernel(), changeOwner: refuse('EPERM'), copyAttributes: refuse('ENOTSUP') }
  const { write, copy, read } = await makeHandle(makeDisk({ kernel: refusing }))
  await write('/a', '1')
  await write('/a', '2', { precondition: 'any' })
  await copy('/a', '/b')
  expect(await read('/b')).toBe('2')
})

test.if(hasAttributes)('a new version keeps extended attributes, and a copy has them too', async () => {
  const { write, copy, root } = await makeHandle()
  await write('/box/a', '1')
  await write('/b', '1')
  setAttribute(join(root, 'box/a'), 'user.colour', 'green')
  setAttribute(join(root, 'box/a'), 'user.ünï', 'x'.repeat(500))
  setAttribute(join(root, 'b'), 'user.colour', 'red')
  await write('/box/a', '2', { precondition: 'any' })
  await copy('/box', '/copy')
  await copy('/box/a', '/free')
  await copy('/box/a', '/b', true)
  for (const path of ['box/a', 'copy/a', 'free']) {
    expect(attributeOf(join(root, path), 'user.colour')).toBe('green')
    expect(attributeOf(join(root, path), 'user.ünï')).toBe('x'.repeat(500))
  }
  expect(attributeOf(join(root, 'b'), 'user.colour')).toBe('red')
  expect(attributeOf(join(root, 'b'), 'user.ünï')).toBeUndefined()
})

/** The owner, the user 1234 and the group may do all, others nothing. */
function setDefaultAcl(folder: string): boolean {
  const entries = [
    [0x01, 7, -1],
    [0x02, 7, 1234],
    [0x04, 7, -1],
    [0x10, 7, -1],
    [0x20, 0, -1],
  ] as const
  const acl = new DataView(new ArrayBuffer(4 + entries.length * 8))
  acl.setUint32(0, 2, true)
  for (const [index, [tag, permissions, id]] of entries.entries()) {
    acl.setUint16(4 + index * 8, tag, true)
    acl.setUint16(6 + index * 8, permissions, true)
    acl.setInt32(8 + index * 8, id, true)
  }
  return setAttribute(folder, 'system.posix_acl_default', new Uint8Array(acl.buffer))
}

test('a new file inherits the default access control list of its folder, and keeps it when it is saved', async () => {
  const disk = makeDisk({ modes: () => ({ file: 0o664, folder: 0o775 }) })
  const { write, stat, storage, createFolder, root } = await makeHandle(disk)
  await createFolder('/shared')
  if (!setDefaultAcl(join(root, 'shared'))) return
  await write('/shared/a', '1')
  await write('/shared/a', '2', { precondition: 'any' })
  await storage.beginDraft(parsePath('/shared/b'), 'draft', { precondition: 'absent' })
  const draft = await storage.openDraft(parsePath('/shared/b'), 'draft')
  await draft.commit({ precondition: 'absent' })
  draft.close()
  // The group bits are the mask of the list: with the umask they would be those of a file that the user 1234 cannot write.
  for (const path of ['/shared/a', '/shared/b']) expect((await stat(path)).mode.toString(8)).toBe('660')
  await write('/plain', '1')
  expect((await stat('/plain')).mode).toBe(0o664 & ~process.umask())
})

test('a kept draft can be written by its owner until it becomes a file of another mode', async () => {
  const { storage, stat, root } = await makeHandle(makeDisk({ modes: () => ({ file: 0o440, folder: 0o750 }) }))
  await storage.beginDraft(parsePath('/a'), 'draft', { precondition: 'absent' })
  const [name = ''] = Object.keys(await filesIn(root))
  expect(statSync(join(root, name)).mode & 0o600).toBe(0o600)
  const draft = await storage.openDraft(parsePath('/a'), 'draft')
  await draft.commit({ precondition: 'absent' })
  draft.close()
  expect((await stat('/a')).mode).toBe(0o440 & ~process.umask())
})

test('all names of a file see its new version', async () => {
  const { write, copy, stat, read, tree, root } = await makeHandle()
  await write('/a', 'old and long')
  linkSync(join(root, 'a'), join(root, 'b'))
  const before = await stat('/a')
  expect(await write('/a', 'new', { precondition: 'any' })).toMatchObject({ id: before.id, size: 3 })
  expect(await read('/b')).toBe('new')
  await write('/c', 'copied')
  await copy('/c', '/b', true)
  expect(await tree()).toEqual({ '/a': 'copied', '/b': 'copied', '/c': 'copied' })
})

test('a file that is written in place has the time that its sender told, and each version one of its own', async () => {
  const { write, copy, stat, root } = await makeHandle()
  await write('/a', 'old')
  linkSync(join(root, 'a'), join(root, 'b'))
  const modified = 1_500_000_000_123
  const times = new Set<number>()
  for (const content of ['one', 'two', 'six']) {
    const entry = await write('/a', content, { precondition: 'any', modified })
    expect(entry).toEqual((await stat('/b')).with({ name: 'a' }))
    expect(entry.seconds).toBe(1_500_000_000)
    expect(Math.floor(entry.nanoseconds / 1_000_000)).toBe(123)
    times.add(entry.nanoseconds)
  }
  expect(times.size).toBe(3)
  await write('/c', 'copied', { modified: 1_400_000_000_000 })
  await copy('/c', '/b', true)
  expect(await stat('/a')).toMatchObject({ size: 6, seconds: 1_400_000_000, nanoseconds: 0 })
  const refusing = { ...linuxKernel(), setTimes: refuse('EPERM') }
  const foreign = await makeHandle(makeDisk({ kernel: refusing }), root)
  await foreign.write('/a', 'of another owner', { precondition: 'any' })
  expect(await stat('/b')).toMatchObject({ size: 16 })
})

test('one name of a file moved onto another leaves the other', async () => {
  const { write, rename, tree, root } = await makeHandle()
  await write('/a', '1')
  linkSync(join(root, 'a'), join(root, 'b'))
  linkSync(join(root, 'a'), join(root, 'A'))
  await expect(rename('/a', '/b')).rejects.toMatchObject({ code: 'already-exists' })
  await rename('/a', '/b', true)
  expect(await tree()).toEqual({ '/A': '1', '/b': '1' })
})

test('a file in a folder that is closed to us is written in place, from a draft in the spool', async () => {
  const [spool, ledger] = [await makeFolder(), memoryLedger()]
  const drafts: string[] = []
  const begin = (draft: string) => {
    drafts.push(draft)
    return ledger.begin(draft)
  }
  const kernel = { ...linuxKernel(), isWritable: () => false }
  const { write, copy, stat, read, root } = await makeHandle(makeDisk({ kernel, ledger: { ...ledger, begin }, spool }))
  await write('/a', 'old and long')
  const { id } = await stat('/a')
  drafts.length = 0
  expect(await write('/a', 'new', { precondition: 'present' })).toMatchObject({ id, size: 3 })
  await write('/b', 'copied')
  await copy('/b', '/a', true)
  expect(await stat('/a')).toMatchObject({ id, size: 6 })
  expect(await read('/a')).toBe('copied')
  expect(drafts.map((draft) => draft.startsWith(`${spool}/`))).toEqual([true, false, true])
  expect([await filesIn(spool), ledger.rows.size]).toEqual([{}, 0])
  expect(await filesIn(root)).toEqual({ '/a': 'copied', '/b': 'copied' })
})

test('a folder that cannot be removed whole comes back under its name', async () => {
  const linux = linuxKernel()
  const kernel: Kernel = {
    ...linux,
    unlink: (folder, name) => (name === 'stuck' ? refuse('EPERM')() : linux.unlink(folder, name)),
  }
  const { put, remove, tree, root } = await makeHandle(makeDisk({ kernel }))
  await put({ '/box/a': '1', '/box/deep/stuck': '2' })
  await expect(remove('/box')).rejects.toMatchObject({ code: 'forbidden' })
  expect(await tree()).toMatchObject({ '/box/deep/stuck': '2' })
  expect(Object.keys(await filesIn(root))).toEqual(Object.keys(await tree()))
})

test('of two that write into a new folder, one that fails does not take it from under the other', async () => {
  const ledger = memoryLedger()
  const [started, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  async function* broken() {
    started.resolve()
    await go.promise
    yield Buffer.from('1')
    throw new Failure('incomplete', 'test')
  }
  let failing: Promise<unknown> = Promise.resolve()
  const begin = async (draft: string) => {
    await ledger.begin(draft)
    // The second one has its folder open and is about to make its draft; now the first one fails.
    if (ledger.rows.size === 2) go.resolve()
    if (ledger.rows.size === 2) await failing
  }
  const { storage, write, tree } = await makeHandle(makeDisk({ ledger: { ...ledger, begin } }))
  failing = storage.write(parsePath('/p/q/a'), broken(), { precondition: 'absent' }).catch((error) => error.code)
  await started.promise
  await write('/p/q/b', '1')
  expect(await failing).toBe('incomplete')
  expect(await tree()).toEqual({ '/p/': '', '/p/q/': '', '/p/q/b': '1' })
})

test('a file system that cannot sync folders is no reason to fail', async () => {
  const kernel = { ...linuxKernel(), sync: () => Promise.reject(new Errno('EINVAL', 'test')) }
  const { put, copy, rename, remove, tree } = await makeHandle(makeDisk({ kernel }))
  await put({ '/p/a': '1' })
  await copy('/p', '/q')
  await rename('/q/a', '/b')
  await remove('/q')
  expect(await tree()).toEqual({ '/p/': '', '/p/a': '1', '/b': '1' })
})

test('a copy, a merge and a removal do not trip over what is being written', async () => {
  const { storage, createFolder, write, copy, rename, remove, read, tree, root } = await makeHandle()
  for (const folder of ['/copied', '/merged', '/removed', '/moved']) await write(`${folder}/a`, '1')
  await createFolder('/target')
  const during = async (path: string, work: () => Promise<void>) => {
    async function* slowly() {
      yield Buffer.from('first half, ')
      await work()
      yield Buffer.from('second half')
    }
    await storage.write(parsePath(path), slowly(), { precondition: 'absent' })
  }
  await during('/copied/b', () => copy('/copied', '/copy'))
  await during('/moved/b', () => rename('/moved', '/moved2'))
  const merging = during('/merged/b', () => rename('/merged', '/target', true))
  await expect(merging).rejects.toMatchObject({ code: 'not-found' })
  const removing = during('/removed/b', () => remove('/removed'))
  await expect(removing).rejects.toMatchObject({ code: 'not-found' })
  const whole = 'first half, second half'
  expect([await read('/copied/b'), await read('/moved2/b')]).toEqual([whole, whole])
  expect(Object.keys(await filesIn(root)).sort()).toEqual(Object.keys(await tree()).sort())
  expect(Object.keys(await tree()).filter((path) => path.endsWith('/b'))).toHaveLength(2)
})

test('space that was claimed in vain is given back', async () => {
  const linux = linuxKernel()
  const kernel: Kernel = {
    ...linux,
    reserve(fd, size) {
      linux.reserve(fd, size)
      refuse('ENOSPC')()
    },
  }
  const { write, read, root } = await makeHandle(makeDisk({ kernel }))
  await write('/a', 'old')
  linkSync(join(root, 'a'), join(root, 'b'))
  const { blocks } = statSync(join(root, 'a'))
  await expect(write('/a', 'x'.repeat(1 << 20), { precondition: 'any' })).rejects.toMatchObject({ code: 'no-space' })
  expect(await read('/a')).toBe('old')
  expect(statSync(join(root, 'a')).blocks).toBe(blocks)
})

test('a pipe is shown, moved and removed, but never waited for', async () => {
  const { stat, read, write, copy, rename, remove, createFolder, names, root } = await makeHandle()
  await createFolder('/box')
  Bun.spawnSync(['mkfifo', join(root, 'box/pipe')])
  expect(await stat('/box/pipe')).toMatchObject({ kind: 'pipe' })
  await expect(read('/box/pipe')).rejects.toMatchObject({ code: 'invalid' })
  await expect(copy('/box/pipe', '/copy')).rejects.toMatchObject({ code: 'invalid' })
  await expect(write('/box/pipe', 'x', { precondition: 'any' })).rejects.toMatchObject({ code: 'forbidden' })
  await copy('/box', '/box2')
  expect(await names('/box2')).toEqual([])
  await rename('/box/pipe', '/moved')
  await remove('/moved')
  expect(await names('/')).toEqual(['box', 'box2'])
})

function refuse(code: string) {
  return () => {
    throw Object.assign(new Error(code), { code })
  }
}

function canHaveAttributes(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-attributes-'))
  const isPossible = setAttribute(folder, 'user.test', '1')
  rmSync(folder, { recursive: true })
  return isPossible
}
