import { expect, test } from 'bun:test'
import { parsePath } from '../path.ts'
import type { BeginDraftOptions, Capabilities, OpenDraft, WriteOptions } from '../port.ts'
import { type Handle, piecesOf, refusalOf } from './subject.fixture.ts'

export function describeDrafts(makeHandle: () => Promise<Handle>, { space }: Capabilities): void {
  const id = 'the-draft'
  const at = parsePath

  async function make() {
    const given = await makeHandle()
    const { storage } = given
    return {
      ...given,
      begin: (path: string, options: Partial<BeginDraftOptions> = {}) =>
        storage.beginDraft(at(path), id, { precondition: 'absent', ...options }),
      drop: (path: string) => storage.dropDraft(at(path), id),
      async inDraft<T>(path: string, work: (draft: OpenDraft) => Promise<T>): Promise<T> {
        const draft = await storage.openDraft(at(path), id)
        try {
          return await work(draft)
        } finally {
          draft.close()
        }
      },
    }
  }

  test('a draft grows piece by piece, is seen nowhere, and becomes the file', async () => {
    const { begin, inDraft, tree, stat, read, wholeSeconds } = await make()
    expect(await begin('/p/a', { length: 6 })).toBe(0)
    await inDraft('/p/a', async (draft) => {
      await draft.append(piecesOf('one'))
      await draft.sync()
    })
    expect(await tree()).toEqual({ '/p/': '' })
    expect(await begin('/p/a')).toBe(3)
    const modified = 1_500_000_000_123
    const entry = await inDraft('/p/a', async (draft) => {
      expect(draft.size).toBe(3)
      await draft.append(piecesOf('two'))
      const memory = new Uint8Array(4)
      expect([await draft.readInto(memory, 2), Buffer.from(memory).toString()]).toEqual([4, 'etwo'])
      expect([await draft.readInto(memory, 5), await draft.readInto(memory, 6)]).toEqual([1, 0])
      return draft.commit({ precondition: 'absent', length: 6, modified })
    })
    expect(entry).toEqual(await stat('/p/a'))
    expect(entry).toMatchObject({ size: 6, seconds: 1_500_000_000, nanoseconds: wholeSeconds ? 0 : 123_000_000 })
    expect(await read('/p/a')).toBe('onetwo')
    expect(await refusalOf(inDraft('/p/a', async () => {}))).toMatchObject({ code: 'not-found' })
  })

  test('one that is made later is only asked about', async () => {
    const { begin, inDraft, put, tree } = await make()
    await put({ '/p/taken': '1' })
    expect(await begin('/p/a', { length: 6, isLater: true })).toBe(0)
    expect(await refusalOf(inDraft('/p/a', async () => {}))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(begin('/p/taken', { isLater: true }))).toMatchObject({ code: 'already-exists' })
    expect(await tree()).toEqual({ '/p/': '', '/p/taken': '1' })
  })

  test('it can be cut back and dropped; one that is gone need not be dropped', async () => {
    const { begin, drop, inDraft, tree } = await make()
    await begin('/a')
    await inDraft('/a', async (draft) => {
      await draft.append(piecesOf('12345'))
      await draft.truncate(2)
      expect(draft.size).toBe(2)
    })
    expect(await begin('/a')).toBe(2)
    await drop('/a')
    await drop('/a')
    expect(await begin('/a')).toBe(0)
    expect(await tree()).toEqual({})
  })

  test('what cannot be written is refused at the beginning, and no parents are left', async () => {
    const { begin, put, tree } = await make()
    await put({ '/box/a': 'old' })
    const before = await tree()
    expect(await refusalOf(begin('/box/a'))).toMatchObject({ code: 'already-exists' })
    expect(await refusalOf(begin('/box', { precondition: 'any' }))).toMatchObject({ code: 'already-exists' })
    expect(await refusalOf(begin('/'))).toMatchObject({ code: 'forbidden' })
    expect(await refusalOf(begin('/box/a/b'))).toMatchObject({ code: 'not-found' })
    if (space) expect(await refusalOf(begin('/p/q/a', { length: 2 ** 52 }))).toMatchObject({ code: 'no-space' })
    expect(await refusalOf(begin('/p/q/a', { precondition: 'present' }))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(begin('/box/a', { precondition: ['"another"'] }))).toMatchObject({
      code: 'changed-meanwhile',
    })
    expect(await tree()).toEqual(before)
  })

  test('a name that was taken meanwhile is not replaced, and the draft is kept for another try', async () => {
    const { begin, inDraft, write, read } = await make()
    await begin('/a')
    await inDraft('/a', (draft) => draft.append(piecesOf('mine')))
    await write('/a', 'theirs')
    expect(await refusalOf(inDraft('/a', (draft) => draft.commit({ precondition: 'absent' })))).toMatchObject({
      code: 'already-exists',
    })
    expect(await read('/a')).toBe('theirs')
    await inDraft('/a', (draft) => draft.commit({ precondition: 'any' }))
    expect(await read('/a')).toBe('mine')
  })

  test('its last bytes and its end come in one step, unless they begin elsewhere', async () => {
    const { begin, inDraft, write, read, storage } = await make()
    await begin('/p/a', { length: 6 })
    const complete = (text: string, offset: number, options: Partial<WriteOptions> = {}) =>
      storage.completeDraft(
        at('/p/a'),
        id,
        { offset, bytes: new TextEncoder().encode(text) },
        { precondition: 'absent', length: 6, ...options },
      )
    await inDraft('/p/a', (draft) => draft.append(piecesOf('one')))
    expect(await refusalOf(complete('onetwo', 0))).toMatchObject({ code: 'wrong-offset' })
    await write('/p/a', 'theirs')
    expect(await refusalOf(complete('two', 3))).toMatchObject({ code: 'already-exists' })
    expect(await read('/p/a')).toBe('theirs')
    const entry = await complete('', 6, { precondition: 'any' })
    expect(entry).toMatchObject({ name: 'a', size: 6 })
    expect(await read('/p/a')).toBe('onetwo')
    expect(await refusalOf(complete('', 6))).toMatchObject({ code: 'not-found' })
  })

  test('the old version stays until the draft is whole', async () => {
    const { begin, inDraft, put, read } = await make()
    await put({ '/a': 'old' })
    await begin('/a', { precondition: 'any' })
    await inDraft('/a', (draft) => draft.append(piecesOf('ne')))
    expect(await refusalOf(inDraft('/a', (draft) => draft.commit({ precondition: 'any', length: 3 })))).toMatchObject({
      code: 'incomplete',
    })
    expect(await read('/a')).toBe('old')
  })

  test('it moves, and goes, with its folder', async () => {
    const { begin, inDraft, rename, remove } = await make()
    await begin('/p/a')
    await rename('/p', '/q')
    expect(await refusalOf(inDraft('/p/a', async () => {}))).toMatchObject({ code: 'not-found' })
    await inDraft('/q/a', (draft) => draft.append(piecesOf('1')))
    await remove('/q')
    expect(await refusalOf(inDraft('/q/a', async () => {}))).toMatchObject({ code: 'not-found' })
  })
}
