import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { yieldToLoop } from '../../concurrency/time-slices.ts'
import { isFailure } from '../../failure.ts'
import { parsePath } from '../path.ts'
import type { Capabilities } from '../port.ts'
import type { Handle } from './subject.fixture.ts'

export function describeCapabilities(make: () => Promise<Handle>, declared: Capabilities): void {
  const all = Array.from({ length: 40 }, (_, at) => `file ${at}`).sort()

  /** What is seen of a folder's names at its old and then at its new place, again and again while it is renamed. */
  async function watchRename({ names, rename, fill }: Handle): Promise<{ old: string[]; now: string[] }[]> {
    await fill('/old', all)
    const look = (folder: string) =>
      names(folder).catch((error) => (isFailure(error, 'not-found') ? [] : Promise.reject(error)))
    let isDone = false
    const renaming = rename('/old', '/new').finally(() => {
      isDone = true
    })
    const seen: { old: string[]; now: string[] }[] = []
    while (!isDone) {
      seen.push({ old: await look('/old'), now: await look('/new') })
      await yieldToLoop()
    }
    await renaming
    expect([await look('/old'), await look('/new')]).toEqual([[], all])
    return seen
  }

  if (declared.atomicRename)
    test('a renamed folder is seen whole at its old or at its new place', async () => {
      for (const { old, now } of await watchRename(await make()))
        expect([old.length, now.length].filter((count) => count !== 0 && count !== all.length)).toEqual([])
    })
  else
    test('each file of a folder that is renamed is at one of both places at every moment', async () => {
      const seen = await watchRename(await make())
      // One look comes before the other, so a file may be met at both.
      for (const { old, now } of seen) expect([...new Set([...old, ...now])].sort()).toEqual(all)
      expect(seen.some(({ now }) => now.length > 0 && now.length < all.length)).toBe(true)
    })

  test(`the content of an open file ${declared.localFile ? 'has' : 'has not'} the name of a local file`, async () => {
    const { write, storage } = await make()
    const content = 'content '.repeat(20_000)
    await write('/a', content)
    const file = await storage.open(parsePath('/a'))
    try {
      const { name } = file.content as { name?: string }
      if (declared.localFile) expect(readFileSync(name ?? '', 'utf8')).toBe(content)
      else expect(name).toBeUndefined()
    } finally {
      file.close()
    }
  })

  if (!declared.foldsCase)
    test('names that differ in case are names of two files', async () => {
      const { put, tree } = await make()
      await put({ '/a': 'small', '/A': 'capital' })
      expect(await tree()).toEqual({ '/a': 'small', '/A': 'capital' })
    })

  test(`usage tells ${declared.space ? 'how much room there is' : 'zeros'}`, async () => {
    const { storage, write } = await make()
    await write('/box/a', 'x'.repeat(5000))
    const { total, used } = await storage.usage(parsePath('/box'))
    if (!declared.space) return expect([total, used]).toEqual([0, 0])
    expect(used).toBeGreaterThanOrEqual(5000)
    expect(total).toBeGreaterThan(used)
  })

  if (declared.sparse)
    test('the copy of a file that is one hole takes up next to nothing', async () => {
      const { hole, occupied, copy, stat } = await make()
      const size = 64 << 20
      await hole?.('/image', size)
      await copy('/image', '/copy')
      expect((await stat('/copy')).size).toBe(size)
      expect(await occupied?.('/copy')).toBeLessThan(1 << 20)
    })

  if (!declared.symlinks)
    test('a path leads to itself, whether something lies there or not', async () => {
      const { put, resolve, list } = await make()
      await put({ '/box/a': '' })
      for (const path of ['/', '/box', '/box/a', '/none/at/all']) expect(await resolve(path)).toBe(path)
      expect((await list('/box')).map(({ kind, isLink }) => [kind, isLink])).toEqual([['file', false]])
    })
}
