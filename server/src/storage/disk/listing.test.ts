import { expect, test } from 'bun:test'
import { chmodSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootPath } from '../path.ts'
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
