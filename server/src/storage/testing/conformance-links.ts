import { expect, test } from 'bun:test'
import { posix } from 'node:path'
import { parsePath } from '../path.ts'
import { LinkInTheWay } from '../port.ts'
import type { Handle } from './subject.fixture.ts'
import { piecesOf, refusalOf } from './subject.fixture.ts'

export function describeLinks(make: () => Promise<Handle>): void {
  async function withLinks() {
    const to = await make()
    await to.put({ '/real/a': 'content', '/other': 'more' })
    await to.link('real', '/folder')
    await to.link('real/a', '/file')
    await to.link('nowhere', '/dangling')
    return to
  }

  test('a link on the way stops every verb', async () => {
    const to = await withLinks()
    const before = await to.tree()
    const { storage } = to
    const [below, free] = [parsePath('/folder/a'), parsePath('/folder/new/x')]
    for (const attempt of [
      () => storage.stat(below),
      () => to.list('/folder/deep'),
      () => storage.open(below),
      () => storage.usage(parsePath('/folder/deep')),
      () => to.write('/folder/a', 'x'),
      () => to.write('/folder/a', 'x', { precondition: 'any' }),
      () => to.write('/folder/a', 'x', { precondition: 'present' }),
      () => to.write('/folder/new/x', 'x'),
      () => storage.createFolder(free),
      () => storage.remove(below),
      () => to.rename('/folder/a', '/free'),
      () => to.rename('/other', '/folder/new/x'),
      () => to.rename('/other', '/folder/a', true),
      () => to.copy('/folder/a', '/free'),
      () => to.copy('/other', '/folder/new/x'),
      () => to.copy('/real', '/folder/new/x', true),
      () => storage.beneath(parsePath('/folder')).stat(parsePath('/a')),
    ])
      expect(await refusalOf(attempt())).toBeInstanceOf(LinkInTheWay)
    expect(await to.tree()).toEqual(before)
  })

  test('names and visitBelow name a symlink and do not follow it', async () => {
    const { link, storage } = await withLinks()
    await link('../other', '/real/out')
    expect(await refusalOf(storage.names(parsePath('/folder')))).toBeInstanceOf(LinkInTheWay)
    const paths: string[] = []
    await storage.visitBelow(parsePath('/real'), (path) => paths.push(path))
    expect(paths.sort()).toEqual(['/real/a', '/real/out'])
  })

  test('a commit does not follow a symlink that has taken the name meanwhile', async () => {
    const { link, storage, read, put } = await make()
    await put({ '/b': 'theirs' })
    await storage.beginDraft(parsePath('/a'), 'draft', { precondition: 'any' })
    const draft = await storage.openDraft(parsePath('/a'), 'draft')
    try {
      await draft.append(piecesOf('mine'))
      await link('b', '/a')
      expect(await refusalOf(draft.commit({ precondition: 'any' }))).toMatchObject({ code: 'changed-meanwhile' })
    } finally {
      draft.close()
    }
    expect(await read('/b')).toBe('theirs')
  })

  test.each(['/folder', '/file', '/dangling'])('a verb that would follow %s stops at it', async (link) => {
    const to = await withLinks()
    const before = await to.tree()
    for (const attempt of [
      () => to.list(link),
      () => to.storage.open(parsePath(link)),
      () => to.storage.usage(parsePath(link)),
      () => to.createFolder(link),
      () => to.write(link, 'x', { precondition: 'any' }),
      () => to.write(link, 'x', { precondition: 'present' }),
      () => to.copy(link, '/free'),
    ])
      expect(await refusalOf(attempt())).toBeInstanceOf(LinkInTheWay)
    expect(await refusalOf(to.write(link, 'x', { precondition: 'absent' }))).toMatchObject({ code: 'already-exists' })
    expect(await to.tree()).toEqual(before)
  })

  test('stat and list describe the link itself', async () => {
    const { stat, list } = await withLinks()
    expect(await stat('/folder')).toMatchObject({ name: 'folder', kind: 'link', size: 4 })
    expect(
      (await list('/'))
        .filter((entry) => entry.kind === 'link')
        .map((entry) => entry.name)
        .sort(),
    ).toEqual(['dangling', 'file', 'folder'])
  })

  test('remove takes the link and leaves its target', async () => {
    const { remove, tree } = await withLinks()
    for (const link of ['/folder', '/file', '/dangling']) await remove(link)
    expect(await tree()).toEqual({ '/real/': '', '/real/a': 'content', '/other': 'more' })
  })

  test('removing a folder leaves the targets of the links in it', async () => {
    const { link, remove, tree } = await withLinks()
    await link('../real', '/real/loop')
    await link('../../other', '/box/deep/out')
    await remove('/box')
    expect(await tree()).toMatchObject({ '/real/a': 'content', '/other': 'more', '/real/loop@': '' })
    await remove('/real')
    expect(await tree()).toEqual({ '/other': 'more', '/folder@': '', '/file@': '', '/dangling@': '' })
  })

  test('a rename moves the link itself, and one in its place gives way like a file', async () => {
    const { rename, tree, resolve, read } = await withLinks()
    await rename('/folder', '/moved')
    expect(await refusalOf(rename('/moved', '/file'))).toMatchObject({ code: 'already-exists' })
    expect(await refusalOf(rename('/real', '/file', true))).toMatchObject({ code: 'already-exists' })
    expect(await refusalOf(rename('/file', '/real', true))).toMatchObject({ code: 'already-exists' })
    await rename('/other', '/file', true)
    expect(await tree()).toEqual({
      '/real/': '',
      '/real/a': 'content',
      '/file': 'more',
      '/moved@': '',
      '/dangling@': '',
    })
    expect(await resolve('/moved/a')).toBe('/real/a')
    expect(await read('/real/a')).toBe('content')
  })

  test('a copy takes the place of a link, not of its target', async () => {
    const { copy, read, stat } = await withLinks()
    expect(await refusalOf(copy('/other', '/file'))).toMatchObject({ code: 'already-exists' })
    await copy('/other', '/file', true)
    expect(await stat('/file')).toMatchObject({ kind: 'file' })
    expect([await read('/file'), await read('/real/a')]).toEqual(['more', 'content'])
    expect(await refusalOf(copy('/real', '/folder', true))).toMatchObject({ code: 'already-exists' })
  })

  test('links in a copied folder stay links and keep their meaning', async () => {
    const { put, link, copy, remove, stat, resolve, root } = await make()
    await put({ '/box/a': '1', '/box/deep/b': '2', '/outside': '3' })
    await link('../a', '/box/deep/up')
    await link('deep', '/box/down')
    await link('../outside', '/box/out')
    await link('../../outside', '/box/deep/out')
    await link(`${root}/outside`, '/box/absolute')
    await link('missing', '/box/dangling')
    await copy('/box', '/x/y/copy')
    const meaning = {
      '/x/y/copy/deep/up': '/x/y/copy/a',
      '/x/y/copy/down/b': '/x/y/copy/deep/b',
      '/x/y/copy/out': '/outside',
      '/x/y/copy/deep/out': '/outside',
      '/x/y/copy/absolute': '/outside',
      '/x/y/copy/dangling': '/x/y/copy/missing',
    }
    await remove('/box')
    for (const [path, target] of Object.entries(meaning)) expect(await resolve(path)).toBe(target)
    expect(await stat('/x/y/copy/down')).toMatchObject({ kind: 'link' })
  })

  test('resolve tells where a path leads', async () => {
    const { link, resolve, root } = await withLinks()
    await link(`${root}/real`, '/absolute')
    await link('folder', '/twice')
    await link(`../${posix.basename(root)}/real`, '/out-and-in')
    await link(`${root}/../${posix.basename(root)}/./real//`, '/crooked')
    await link('..', '/real/up')
    await link(root, '/real/root')
    for (const [path, real] of Object.entries({
      '/': '/',
      '/other': '/other',
      '/none/at/all': '/none/at/all',
      '/folder': '/real',
      '/folder/a': '/real/a',
      '/folder/new/x': '/real/new/x',
      '/file': '/real/a',
      '/dangling': '/nowhere',
      '/dangling/x': '/nowhere/x',
      '/absolute/a': '/real/a',
      '/twice/a': '/real/a',
      '/out-and-in/a': '/real/a',
      '/crooked/a': '/real/a',
      '/folder/up/other': '/other',
      '/real/root': '/',
    }))
      expect([path, await resolve(path)]).toEqual([path, real])
  })

  test('resolve forbids what leads out', async () => {
    const { link, resolve, root } = await withLinks()
    await link('/', '/top')
    await link('..', '/parent')
    await link('../..', '/real/above')
    await link(`${root}-twin`, '/twin')
    await link('../nowhere', '/dangling-out')
    await link('top/etc', '/by-another')
    for (const path of [
      '/top',
      '/top/etc',
      '/parent',
      '/parent/x',
      '/real/above',
      '/twin',
      '/dangling-out',
      '/by-another',
    ])
      expect(await refusalOf(resolve(path))).toMatchObject({ code: 'forbidden' })
  })

  test('resolve gives up on a circle', async () => {
    const { link, resolve } = await make()
    await link('b', '/a')
    await link('a', '/b')
    await link('self/self', '/self')
    for (const path of ['/a', '/b/x', '/self'])
      expect(await refusalOf(resolve(path))).toMatchObject({ code: 'not-found' })
  })

  test('beneath a folder, links that leave it are forbidden', async () => {
    const { link, storage, root } = await withLinks()
    await link('../other', '/real/out')
    await link('a', '/real/in')
    await link(`${root}/real/a`, '/real/absolute')
    const below = storage.beneath(parsePath('/real'))
    expect(await refusalOf(below.resolve(parsePath('/out')))).toMatchObject({ code: 'forbidden' })
    expect((await below.resolve(parsePath('/in'))) as string).toBe('/a')
    expect((await below.resolve(parsePath('/absolute'))) as string).toBe('/a')
  })

  test('resolve does not lead to a draft', async () => {
    const { link, resolve } = await make()
    await link('.filestead-draft-1', '/sneaky')
    expect(await refusalOf(resolve('/sneaky'))).toMatchObject({ code: 'forbidden' })
  })
}
