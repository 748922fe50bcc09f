import { expect, test } from 'bun:test'
import type { Scope } from '../../access/scope.ts'
import { locationIn } from '../../mounts/location.ts'
import { PlainEntry } from '../../storage/entry.ts'
import { parsePath, type VirtualPath } from '../../storage/path.ts'
import type { OpenFile } from '../../storage/port.ts'
import { zipOf } from './archives.fixture.ts'
import { openArchive, openedArchives } from './opened.ts'

/** A mount that holds one zip, whose disk has numbered and dated it as another one did. */
function scopeOf(mount: number, name: string): Scope {
  const bytes = zipOf([{ name, content: 'x' }])
  const facts = {
    name: 'a.zip',
    exact: undefined,
    kind: 'file',
    isLink: false,
    size: bytes.length,
    mode: 0o644,
  } as const
  const entry = new PlainEntry({ ...facts, seconds: 1, nanoseconds: 0 }, { id: '5 7', version: '"1"' })
  const file: OpenFile = { entry, content: new Blob([bytes]), head: async () => bytes.subarray(0, 512), close() {} }
  return {
    may: () => true,
    locate: (path: VirtualPath) => locationIn(mount, path),
    find: async () => ({ entry, file }),
  } as unknown as Scope
}

test('the contents of an archive are not told of one in another mount that its disk has numbered and dated alike', async () => {
  const archives = openedArchives()
  const names: string[] = []
  for (const [mount, name] of [
    [2, 'one.txt'],
    [3, 'two.txt'],
  ] as const) {
    const archive = await openArchive(scopeOf(mount, name), parsePath('/a.zip'))
    const { index } = await archives.read(archive, undefined, new AbortController().signal)
    names.push(index.at(0).path)
  }
  expect(names).toEqual(['one.txt', 'two.txt'])
})
