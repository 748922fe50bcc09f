import { afterAll, expect, test } from 'bun:test'
import { existsSync, linkSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesIn, makeDisk, makeHandle, removeFolders } from '../testing/disk.fixture.ts'
import { memoryLedger } from '../testing/ledger.fixture.ts'
import type { Displaced } from './displace.ts'
import { pathOfDescriptor } from './drafts.ts'

afterAll(removeFolders)

/** A storage whose displacements are noted as they happen, with the content of files. */
async function watched() {
  const seen: string[] = []
  const note = ({ folder, name, by, stat }: Displaced) => {
    const path = join(pathOfDescriptor(folder), String(name))
    seen.push(`${by} ${String(name)}${(stat.mode & 0o170000) === 0o100000 ? `: ${readFileSync(path, 'utf8')}` : ''}`)
  }
  const displacing = <T>(target: Displaced, step: () => T): T => {
    note(target)
    return step()
  }
  const to = await makeHandle(makeDisk({ displacing }))
  return { ...to, seen }
}

test('a write, a copy and a move over a file displace the old one, and a first write displaces nothing', async () => {
  const { write, copy, rename, seen } = await watched()
  await write('/a', '1')
  await write('/b', '2')
  expect(seen).toEqual([])
  await write('/a', '3', { precondition: 'any' })
  await copy('/b', '/a', true)
  await rename('/b', '/a', true)
  expect(seen).toEqual(['replaced a: 1', 'replaced a: 3', 'replaced a: 2'])
})

test('a file with several names is overwritten in place', async () => {
  const { write, seen, root } = await watched()
  await write('/a', 'old')
  linkSync(join(root, 'a'), join(root, 'b'))
  await write('/a', 'new', { precondition: 'any' })
  expect(seen).toEqual(['overwritten a: old'])
})

test('a merge displaces the files of the same name and nothing else', async () => {
  for (const verb of ['rename', 'copy'] as const) {
    const to = await watched()
    await to.put({ '/from/same': 'new', '/from/only': '1', '/to/same': 'old', '/to/kept': '2' })
    await to[verb]('/from', '/to', true)
    expect(to.seen).toEqual(['replaced same: old'])
  }
})

test('a removed folder is displaced once, as a whole, and a moved one not at all', async () => {
  const { put, remove, rename, seen } = await watched()
  await put({ '/box/deep/a': '1', '/box/b': '2', '/c': '3' })
  await rename('/box', '/moved')
  expect(seen).toEqual([])
  await remove('/moved')
  await remove('/c')
  expect(seen).toEqual(['removed moved', 'removed c: 3'])
})

test('a displacement that is refused leaves the old file', async () => {
  const displacing = () => {
    throw new Error('no room for the old version')
  }
  const to = await makeHandle(makeDisk({ displacing }))
  await to.put({ '/a': 'old', '/box/b': '1' })
  await expect(to.write('/a', 'new', { precondition: 'any' })).rejects.toThrow('no room')
  await expect(to.remove('/a')).rejects.toThrow('no room')
  await expect(to.remove('/box')).rejects.toThrow('no room')
  expect(await filesIn(to.root)).toEqual({ '/a': 'old', '/box/': '', '/box/b': '1' })
})

test('no other file of the adapter takes a name away or renames over one', () => {
  const calls = /\bkernel\.(unlink|removeFolder|rename)\(/
  const sources = readdirSync(import.meta.dir).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  // The guard passes on what it is asked for.
  const callers = sources.filter((name) => calls.test(readFileSync(join(import.meta.dir, name), 'utf8')))
  expect(callers).toEqual(['displace.ts', 'guarded.ts'])
})

test('a removal that is cancelled halfway shows what is left, under its name', async () => {
  const ledger = memoryLedger()
  const { storage, put, tree, root } = await makeHandle(makeDisk({ ledger }))
  await put(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`/box/${at % 3}/${at}`, String(at)])))
  let asked = 0
  const signal = {
    throwIfAborted() {
      // The look beforehand does not count: the folder is hidden when the first name goes.
      if (existsSync(join(root, 'box'))) return
      asked += 1
      if (asked > 10) throw new DOMException('The client left', 'AbortError')
    },
  }
  await expect(storage.remove('/box' as never, { signal })).rejects.toMatchObject({ name: 'AbortError' })
  const left = Object.keys(await tree()).filter((path) => !path.endsWith('/'))
  expect(left.length).toBe(20)
  expect(Object.keys(await filesIn(root)).sort()).toEqual(Object.keys(await tree()).sort())
  expect(ledger.rows.size).toBe(0)
})
