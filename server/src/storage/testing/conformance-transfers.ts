import { expect, test } from 'bun:test'
import { parsePath } from '../path.ts'
import type { RemovePrecondition } from '../port.ts'
import type { Handle } from './subject.fixture.ts'
import { refusalOf } from './subject.fixture.ts'

export function describeTransfers(make: () => Promise<Handle>): void {
  const verbs = ['rename', 'copy'] as const

  test('a rename moves a file or a folder, parents made', async () => {
    const { put, rename, tree, stat } = await make()
    await put({ '/a': '1', '/box/b': '2' })
    const before = await stat('/a')
    await rename('/a', '/p/q/a2')
    await rename('/box', '/p/box')
    expect(await tree()).toEqual({ '/p/': '', '/p/q/': '', '/p/q/a2': '1', '/p/box/': '', '/p/box/b': '2' })
    expect(await stat('/p/q/a2')).toEqual(before.with({ name: 'a2' }))
  })

  test('a copy is a second one with the same content, mode and time', async () => {
    const { put, copy, tree, stat, write } = await make()
    await put({ '/box/a': '1', '/box/deep/er/b': '2', '/c': '3' })
    await new Promise((resolve) => setTimeout(resolve, 20))
    await copy('/box', '/p/copy')
    await copy('/c', '/q/d')
    expect(await tree()).toMatchObject({
      '/p/copy/a': '1',
      '/p/copy/deep/er/b': '2',
      '/q/d': '3',
      '/box/a': '1',
      '/box/deep/er/b': '2',
      '/c': '3',
    })
    for (const [from, to] of [
      ['/box', '/p/copy'],
      ['/box/a', '/p/copy/a'],
      ['/box/deep/er', '/p/copy/deep/er'],
      ['/c', '/q/d'],
    ] as const) {
      const [original, copied] = [await stat(from), await stat(to)]
      expect([copied.mode, copied.seconds, copied.nanoseconds, copied.size]).toEqual([
        original.mode,
        original.seconds,
        original.nanoseconds,
        original.size,
      ])
      if (original.id !== undefined) expect(copied.id).not.toBe(original.id)
    }
    await write('/box/a', 'changed', { precondition: 'any' })
    expect(await tree()).toMatchObject({ '/p/copy/a': '1' })
  })

  test.each(verbs)('%s to a taken name is refused, and nothing changes', async (verb) => {
    const to = await make()
    await to.put({ '/a': '1', '/b': '2', '/box/c': '3', '/other/d': '4' })
    await to.createFolder('/empty')
    const before = await to.tree()
    for (const [source, target] of [
      ['/a', '/b'],
      ['/a', '/box'],
      ['/box', '/a'],
      ['/box', '/other'],
      ['/box', '/empty'],
      ['/box/c', '/box'],
    ] as const)
      expect(await refusalOf(to[verb](source, target))).toMatchObject({ code: 'already-exists' })
    expect(await to.tree()).toEqual(before)
  })

  test.each(verbs)('%s with replace takes the place of a file', async (verb) => {
    const to = await make()
    await to.put({ '/a': 'new', '/box/b': 'old and longer' })
    await to[verb]('/a', '/box/b', true)
    await to[verb]('/box/b', '/free', true)
    const expected: Record<string, string> = { '/box/': '', '/free': 'new' }
    if (verb === 'copy') Object.assign(expected, { '/a': 'new', '/box/b': 'new' })
    expect(await to.tree()).toEqual(expected)
  })

  test.each(verbs)('%s with replace merges folders', async (verb) => {
    const to = await make()
    const source = { '/from/same': 'new', '/from/only': '1', '/from/deep/same': 'new', '/from/deep/more/x': '2' }
    await to.put(source)
    await to.put({ '/to/same': 'old', '/to/kept': '3', '/to/deep/same': 'old', '/to/deep/kept': '4' })
    await to[verb]('/from', '/to', true)
    const folders = { '/from/': '', '/from/deep/': '', '/from/deep/more/': '' }
    expect(await to.tree()).toEqual({
      '/to/': '',
      '/to/same': 'new',
      '/to/only': '1',
      '/to/kept': '3',
      '/to/deep/': '',
      '/to/deep/same': 'new',
      '/to/deep/kept': '4',
      '/to/deep/more/': '',
      '/to/deep/more/x': '2',
      ...(verb === 'copy' ? { ...source, ...folders } : {}),
    })
  })

  test.each(verbs)('%s with replace never puts a file in the place of a folder or back, at any depth', async (verb) => {
    const to = await make()
    await to.put({ '/from/a': '1', '/from/deep/clash': 'file', '/to/deep/clash/x': '2', '/file': '3' })
    await to.put({ '/odd/deep': 'file' })
    const before = await to.tree()
    for (const [source, target] of [
      ['/from', '/to'],
      ['/to', '/from'],
      ['/odd', '/to'],
      ['/file', '/to'],
      ['/to', '/file'],
    ] as const)
      expect(await refusalOf(to[verb](source, target, true))).toMatchObject({ code: 'already-exists' })
    expect(await to.tree()).toEqual(before)
  })

  test('onto itself a rename is done already, and a copy is refused or done', async () => {
    const { put, rename, copy, tree } = await make()
    await put({ '/a': '1', '/box/b': '2' })
    const before = await tree()
    for (const path of ['/a', '/box']) {
      await rename(path, path)
      await rename(path, path, true)
      await copy(path, path, true)
      expect(await refusalOf(copy(path, path))).toMatchObject({ code: 'already-exists' })
    }
    expect(await tree()).toEqual(before)
  })

  test.each(verbs)('%s into itself is invalid, and nothing changes', async (verb) => {
    const to = await make()
    await to.put({ '/a/x': '1', '/a/b/y': '2', '/ab/z': '3' })
    const before = await to.tree()
    for (const replace of [false, true])
      for (const target of ['/a/b', '/a/new', '/a/p/q', '/a/b/a'])
        expect(await refusalOf(to[verb]('/a', target, replace))).toMatchObject({ code: 'invalid' })
    expect(await to.tree()).toEqual(before)
    await to[verb]('/a', '/ab/a')
    expect(await to.read('/ab/a/b/y')).toBe('2')
  })

  test('a rename onto the folder that holds it is refused', async () => {
    const { put, rename, tree } = await make()
    await put({ '/a/b/b/x': '1', '/a/f': '2' })
    const before = await tree()
    expect(await refusalOf(rename('/a/b', '/a', true))).toMatchObject({ code: 'invalid' })
    expect(await refusalOf(rename('/a/f', '/a', true))).toMatchObject({ code: 'invalid' })
    expect(await refusalOf(rename('/a/b', '/a'))).toMatchObject({ code: 'already-exists' })
    expect(await tree()).toEqual(before)
  })

  test('a copy onto the folder that holds it merges', async () => {
    const { put, copy, tree } = await make()
    await put({ '/a/b/x': '1' })
    await copy('/a/b', '/a', true)
    expect(await tree()).toEqual({ '/a/': '', '/a/x': '1', '/a/b/': '', '/a/b/x': '1' })
  })

  test.each(verbs)('%s of or onto the root is forbidden, of nothing not found', async (verb) => {
    const to = await make()
    await to.put({ '/a': '1' })
    expect(await refusalOf(to[verb]('/', '/b'))).toMatchObject({ code: 'forbidden' })
    expect(await refusalOf(to[verb]('/a', '/', true))).toMatchObject({ code: 'forbidden' })
    expect(await refusalOf(to[verb]('/none', '/p/q/b'))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(to[verb]('/a', '/a/b'))).toMatchObject({ code: 'invalid' })
    expect(await to.tree()).toEqual({ '/a': '1' })
  })

  test.each(verbs)('%s below a file is not found', async (verb) => {
    const to = await make()
    await to.put({ '/a': '1', '/b': '2' })
    expect(await refusalOf(to[verb]('/a', '/b/c'))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(to[verb]('/b/c', '/d'))).toMatchObject({ code: 'not-found' })
    expect(await to.tree()).toEqual({ '/a': '1', '/b': '2' })
  })

  test('a copy that is given up leaves nothing', async () => {
    const { createFolder, put, copy, tree } = await make()
    await put({ '/file': '1' })
    for (let at = 0; at < 200; at += 1) await createFolder(`/box/${at}/deep`)
    const before = await tree()
    const gone = AbortSignal.abort()
    expect(await refusalOf(copy('/box', '/p/copy', false, gone))).toMatchObject({ name: 'AbortError' })
    expect(await refusalOf(copy('/file', '/p/file', false, gone))).toMatchObject({ name: 'AbortError' })
    expect(await tree()).toEqual(before)

    const leaving = new AbortController()
    setImmediate(() => leaving.abort())
    const isDone = await copy('/box', '/p/copy', false, leaving.signal).then(
      () => true,
      () => false,
    )
    if (!isDone) expect(await tree()).toEqual(before)
  })

  test('a removal that is cancelled before its first name leaves everything', async () => {
    const { put, remove, tree } = await make()
    await put({ '/a': '1', '/box/b': '2' })
    const before = await tree()
    for (const path of ['/a', '/box'])
      expect(await refusalOf(remove(path, AbortSignal.abort()))).toMatchObject({ name: 'AbortError' })
    expect(await tree()).toEqual(before)
  })

  test('remove refuses another version of a file, and a folder that is not empty', async () => {
    const { write, put, storage, tree } = await make()
    const [first, second] = [await write('/a', '1'), await write('/a', '2', { precondition: 'any' })]
    await put({ '/box/deep/b': '3' })
    const before = await tree()
    const remove = (path: string, only: RemovePrecondition) => storage.remove(parsePath(path), { only })
    expect(await refusalOf(remove('/a', { version: first.version }))).toMatchObject({ code: 'changed-meanwhile' })
    expect(await refusalOf(remove('/box', { version: first.version }))).toMatchObject({ code: 'changed-meanwhile' })
    expect(await refusalOf(remove('/box', 'empty'))).toMatchObject({ code: 'already-exists' })
    expect(await refusalOf(remove('/a', 'empty'))).toMatchObject({ code: 'invalid' })
    expect(await tree()).toEqual(before)
    await remove('/a', { version: second.version })
    await storage.remove(parsePath('/box/deep/b'))
    await remove('/box/deep', 'empty')
    await remove('/box', 'empty')
    expect(await tree()).toEqual({})
  })

  test('remove takes a file, and a folder with all it holds, once', async () => {
    const { put, remove, tree } = await make()
    await put({ '/a': '1', '/box/b': '2', '/box/deep/c': '3', '/boxes': '4' })
    await remove('/a')
    await remove('/box')
    expect(await tree()).toEqual({ '/boxes': '4' })
    expect(await refusalOf(remove('/box'))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(remove('/'))).toMatchObject({ code: 'forbidden' })
  })
}
