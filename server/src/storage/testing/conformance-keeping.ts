import { expect, test } from 'bun:test'
import { isInside } from '@filestead/contract/paths'
import type { Effect, KeptFound } from '../keeping.ts'
import { keptPath, parsePath, type VirtualPath } from '../path.ts'
import type { RestoreOptions } from '../port.ts'
import { keepFor } from './keeping.fixture.ts'
import { type Handle, refusalOf } from './subject.fixture.ts'

/** Of a storage with both stores on. */
export function describeKeeping(make: () => Promise<Handle>): void {
  async function makeKeeping() {
    const to = await make()
    const { storage, keeping = { base: '', effectsOf: (): Effect[] => [] } } = to
    return {
      ...to,
      effectsOf: keeping.effectsOf,
      async removeKept(path: string) {
        const keep = keepFor('remove')
        const place = await storage.keepPlace(parsePath(path), keep)
        await storage.remove(parsePath(path), { keptAt: place, keep })
        return place as VirtualPath
      },
      save: (path: string, content: string) => to.write(path, content, { precondition: 'any', keep: keepFor('save') }),
      restore: (place: VirtualPath, path: string, options: Partial<RestoreOptions> = {}) =>
        storage.restore(place, parsePath(path), { replace: false, ...options }),
      /** With paths as this storage has them. */
      async kept() {
        const all: KeptFound[] = []
        await storage.kept((found) => void all.push(...found))
        const own = all.filter(({ at }) => isInside(at, keeping.base || '/'))
        return own.map((one) => ({ ...one, at: one.at.slice(keeping.base.length) }))
      },
    }
  }

  test('what is removed is kept, told with its place, and gone from view', async () => {
    const { put, removeKept, kept, tree } = await makeKeeping()
    await put({ '/docs/a': '1', '/box/deep/b': '22' })
    const [file, folder] = [await removeKept('/docs/a'), await removeKept('/box')]
    expect(await tree()).toEqual({ '/docs/': '' })
    const found = (await kept()).sort((one, two) => (one.at < two.at ? -1 : 1))
    expect(found).toMatchObject([
      { place: folder, at: '/box', store: 'trash', kind: 'folder', size: undefined },
      { place: file, at: '/docs/a', store: 'trash', kind: 'file', size: 1 },
    ])
    expect(found.map(({ keep }) => keep?.user.name)).toEqual(['ann', 'ann'])
  })

  test('what is restored has a name again, with its parents, and is kept no longer', async () => {
    const { put, removeKept, restore, kept, tree } = await makeKeeping()
    await put({ '/docs/a': '1', '/box/deep/b': '2' })
    const places = [await removeKept('/docs/a'), await removeKept('/box')] as const
    await restore(places[0], '/new/parents/a')
    await restore(places[1], '/box')
    expect(await tree()).toEqual({
      '/docs/': '',
      '/new/': '',
      '/new/parents/': '',
      '/new/parents/a': '1',
      '/box/': '',
      '/box/deep/': '',
      '/box/deep/b': '2',
    })
    expect(await kept()).toEqual([])
  })

  test('a taken name is refused and nothing changes; with replace, what was there is kept', async () => {
    const { put, removeKept, restore, kept, tree, effectsOf } = await makeKeeping()
    await put({ '/a': 'old' })
    const place = await removeKept('/a')
    await put({ '/a': 'new' })
    expect(await refusalOf(restore(place, '/a'))).toMatchObject({ code: 'already-exists' })
    expect([await tree(), (await kept()).length]).toEqual([{ '/a': 'new' }, 1])
    const keep = keepFor('restore')
    await restore(place, '/a', { replace: true, keep })
    expect(await tree()).toEqual({ '/a': 'old' })
    expect(await kept()).toMatchObject([{ at: '/a', size: 3, keep: { cause: 'restore' } }])
    expect(effectsOf(keep.operation).filter(({ kind }) => kind === 'kept')).toHaveLength(1)
  })

  test('the version before a save comes back over the version that it left, and over no other', async () => {
    const { put, save, restore, kept, read, stat } = await makeKeeping()
    await put({ '/a': 'first' })
    await save('/a', 'second')
    const [before] = await kept()
    expect(before).toMatchObject({ at: '/a', store: 'versions', size: 5, keep: { cause: 'save' } })
    const place = before?.place ?? keptPath('/')
    expect(await refusalOf(restore(place, '/a', { over: ['another'] }))).toMatchObject({ code: 'changed-meanwhile' })
    expect(await refusalOf(restore(place, '/b', { over: ['another'] }))).toMatchObject({ code: 'not-found' })
    expect(await read('/a')).toBe('second')
    await restore(place, '/a', { over: [(await stat('/a')).version], keep: keepFor('restore') })
    expect(await read('/a')).toBe('first')
    expect(await kept()).toMatchObject([{ at: '/a', store: 'versions', size: 6 }])
  })

  test('folders are merged, and what is skipped stays in the store', async () => {
    const { put, removeKept, restore, kept, tree } = await makeKeeping()
    await put({ '/f/a': 'old', '/f/b': 'b' })
    const place = await removeKept('/f')
    await put({ '/f/a': 'new' })
    await restore(place, '/f', { replace: true, taken: { default: 'skip' } })
    expect(await tree()).toEqual({ '/f/': '', '/f/a': 'new', '/f/b': 'b' })
    expect(await kept()).toMatchObject([{ place, at: '/f' }])
  })

  test('parents that a restore makes are told', async () => {
    const { put, removeKept, restore, effectsOf } = await makeKeeping()
    await put({ '/a': '1' })
    const place = await removeKept('/a')
    const keep = keepFor('restore')
    await restore(place, '/p/q/a', { keep })
    const parents = effectsOf(keep.operation).flatMap((effect) => (effect.kind === 'parent' ? [effect.at] : []))
    expect(parents.map((path) => path.replace(/^\/subject-\d+/, ''))).toEqual(['/p', '/p/q'])
  })

  test('what is purged is gone, and to purge it again is fine', async () => {
    const { put, storage, removeKept, restore, kept } = await makeKeeping()
    await put({ '/f/deep/a': '1', '/f/b': '22' })
    const place = await removeKept('/f')
    const told: number[] = []
    await storage.purge(place, { progress: ({ files }) => told.push(files) })
    expect([await kept(), told.at(-1)]).toEqual([[], 2])
    await storage.purge(place)
    expect(await refusalOf(restore(place, '/f'))).toMatchObject({ code: 'not-found' })
  })

  test('only places of a store are restored and purged', async () => {
    const { put, storage, removeKept, restore, tree } = await makeKeeping()
    await put({ '/f/a': '1', '/b': '2' })
    const place = await removeKept('/f')
    for (const wrong of [
      parsePath('/b'),
      parsePath('/'),
      keptPath(`${place}/a`),
      keptPath(place.replace(/[^/]+$/, '')),
    ]) {
      expect(await refusalOf(restore(wrong, '/c'))).toMatchObject({ code: 'invalid' })
      expect(await refusalOf(storage.purge(wrong))).toMatchObject({ code: 'invalid' })
    }
    expect(await tree()).toEqual({ '/b': '2' })
  })
}
