import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Errno } from '../linux/errno.ts'
import { linuxKernel } from '../linux/kernel.ts'
import { draftPrefix, rootPath } from '../path.ts'
import { makeDisk, makeHandle } from '../testing/disk.fixture.ts'

const facts = async ({ storage }: Awaited<ReturnType<typeof makeHandle>>) =>
  (await storage.list(rootPath)).entries
    .map(({ name, kind, size, mode, seconds }) => `${name} ${kind} ${size} ${mode.toString(8)} ${seconds}`)
    .sort()

test('an unchanged folder gives the same entries again', async () => {
  const handle = await makeHandle(makeDisk({}))
  await handle.put({ '/a': 'x', '/b': 'y' })
  const [one, two] = [await handle.storage.list(rootPath), await handle.storage.list(rootPath)]
  expect(two.entries).toBe(one.entries)
})

test('whatever changes about a file, the next reading tells it', async () => {
  const handle = await makeHandle(makeDisk({}))
  await handle.put({ '/a': 'x', '/b': 'y' })
  const at = (name: string) => join(handle.root, name)
  const changes: (() => void)[] = [
    () => writeFileSync(at('a'), 'longer'),
    () => chmodSync(at('a'), 0o600),
    () => utimesSync(at('a'), 1000, 1000),
    () => utimesSync(at('a'), 1000, 2000),
    () => renameSync(at('a'), at('c')),
    () => writeFileSync(at('d'), ''),
    () => rmSync(at('b')),
    () => symlinkSync('d', at('b')),
  ]
  const seen = [await facts(handle)]
  for (const change of changes) {
    change()
    seen.push(await facts(handle))
  }
  expect(new Set(seen.map((lines) => lines.join())).size).toBe(changes.length + 1)
  expect(seen.at(-1)?.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['b link', 'c file', 'd file'])
})

test('names that are not UTF-8 are described, and told apart', async () => {
  const handle = await makeHandle(makeDisk({}))
  for (const [byte, content] of [
    [0xe4, 'one'],
    [0xf6, 'three'],
  ] as const)
    writeFileSync(Buffer.concat([Buffer.from(`${handle.root}/a`), Buffer.from([byte])]), content)
  const described = await handle.storage.describe(rootPath, await handle.storage.names(rootPath))
  expect(described.map(({ name, size }) => [name, size]).sort()).toEqual([
    ['a\ufffd', 3],
    ['a\ufffd', 5],
  ])
  expect(new Set(described.map(({ exact }) => exact)).size).toBe(2)
})

test('what may not be looked at is described by its kind, as in a listing', async () => {
  const kernel = linuxKernel()
  const refusing = {
    ...kernel,
    lookInFolder(): never {
      throw new Errno('EACCES', 'test')
    },
  }
  const handle = await makeHandle(makeDisk({ kernel: refusing }))
  await handle.put({ '/a': 'x' })
  mkdirSync(join(handle.root, 'box'))
  const described = await handle.storage.describe(rootPath, await handle.storage.names(rootPath))
  expect(described.map(({ name, kind, size }) => [name, kind, size]).sort()).toEqual([
    ['a', 'file', 0],
    ['box', 'folder', 0],
  ])
})

test('a name of a draft is never described', async () => {
  const handle = await makeHandle(makeDisk({}))
  const draft = `${draftPrefix}x`
  writeFileSync(join(handle.root, draft), 'half')
  expect(await handle.storage.describe(rootPath, [{ name: draft, kind: 'file' }])).toEqual([])
})

test('peek tells nothing of a name that is a pipe by now', async () => {
  const { root, storage, put } = await makeHandle(makeDisk({}))
  await put({ '/a': 'A' })
  Bun.spawnSync(['mkfifo', join(root, 'pipe')])
  const heads = await storage.peek(rootPath, ['pipe', 'a'])
  expect(Array.from(heads, ([name, head]) => [name, Buffer.from(head).toString()])).toEqual([
    ['pipe', ''],
    ['a', 'A'],
  ])
})
