import { expect, test } from 'bun:test'
import { parsePath } from '../path.ts'
import type { Done, TakenRule, TransferKind } from '../transfer-options.ts'
import { type Handle, refusalOf } from './subject.fixture.ts'

export function describeStaging(make: () => Promise<Handle>): void {
  const kinds = ['copy', 'move'] as const
  const id = 'job.0'
  const at = parsePath

  const transfer = ({ storage }: Handle, kind: TransferKind, from: string, to: string, taken?: TakenRule) =>
    storage[kind === 'move' ? 'rename' : 'copy'](at(from), at(to), {
      replace: taken !== undefined,
      staged: id,
      taken,
    })

  async function stage({ storage }: Handle, kind: TransferKind, from: string, to: string, taken?: TakenRule) {
    const told: Done[] = []
    const progress = (done: Done) => void told.push(done)
    await storage.stage(kind, at(from), at(to), { id, replace: taken !== undefined, taken, progress })
    return told
  }

  /** A folder and one to merge it with: of each pair the first one is copied or moved. */
  async function conflicting() {
    const subject = await make()
    const [old, recent] = [1_000_000_000_000, 1_100_000_000_000]
    const put = (path: string, content: string, modified: number) =>
      subject.write(path, content, { precondition: 'absent', modified })
    await put('/from/same', 'same', old)
    await put('/to/same', 'same', old)
    for (const [name, ours, theirs] of [
      ['kept', old, recent],
      ['replaced', old, recent],
      ['both', old, old],
      ['older', old, recent],
      ['newer', recent, old],
    ] as const) {
      await put(`/from/sub/${name}`, `from ${name}`, ours)
      await put(`/to/sub/${name}`, `to ${name}`, theirs)
    }
    await put('/from/sub/free', 'free', old)
    return subject
  }

  const rule: TakenRule = {
    default: 'skip',
    by: { 'sub/replaced': 'replace', 'sub/both': 'keep-both', 'sub/older': 'newer', 'sub/newer': 'newer' },
  }

  test.each(kinds)(
    'a %s that was staged is one like any other, and is remembered until it is dropped',
    async (kind) => {
      const to = await make()
      await to.put({ '/box/a': '1', '/box/deep/b': '2', '/c': '3' })
      const before = await to.tree()
      for (const [source, target] of [
        ['/box', '/p/box'],
        ['/c', '/p/c'],
      ] as const) {
        await stage(to, kind, source, target)
        const shown = Object.keys(await to.tree())
        expect(shown.filter((path) => path.startsWith(target))).toEqual([])
        for (const _ of ['asked', 'asked again']) await transfer(to, kind, source, target)
        await to.storage.unstage(at(target), id)
      }
      expect(await to.tree()).toEqual({
        ...(kind === 'copy' ? before : {}),
        ...{ '/p/': '', '/p/box/': '', '/p/box/a': '1', '/p/box/deep/': '', '/p/box/deep/b': '2', '/p/c': '3' },
      })
    },
  )

  test.each(kinds)('a %s that was staged and is given up leaves nothing', async (kind) => {
    const to = await make()
    await to.put({ '/box/a': '1', '/p/other': 'other' })
    const before = await to.tree()
    await stage(to, kind, '/box', '/p/box')
    for (const _ of ['once', 'twice']) await to.storage.unstage(at('/p/box'), id)
    expect(await to.tree()).toEqual(before)
    await to.remove('/p')
    expect(await to.tree()).toEqual({ '/box/': '', '/box/a': '1' })
  })

  test.each(kinds)('what was written after a %s was staged comes along', async (kind) => {
    const to = await make()
    await to.put({ '/box/a': '1', '/box/b': '2' })
    await stage(to, kind, '/box', '/p/box')
    await to.write('/box/a', 'changed', { precondition: 'any' })
    await to.write('/box/deep/c', 'new')
    await to.remove('/box/b')
    await transfer(to, kind, '/box', '/p/box')
    await to.storage.unstage(at('/p/box'), id)
    expect(await to.tree()).toMatchObject({ '/p/box/a': 'changed', '/p/box/deep/c': 'new' })
    expect(await to.names('/p/box')).toEqual(['a', 'deep'])
  })

  test.each(kinds)('a %s that is merged does with each name that is taken what the rule says', async (kind) => {
    const to = await conflicting()
    await stage(to, kind, '/from', '/to', rule)
    await transfer(to, kind, '/from', '/to', rule)
    await to.storage.unstage(at('/to'), id)
    const tree = Object.entries(await to.tree())
    expect(Object.fromEntries(tree.filter(([path]) => path.startsWith('/to/')))).toEqual({
      ...{ '/to/': '', '/to/same': 'same', '/to/sub/': '', '/to/sub/free': 'free', '/to/sub/kept': 'to kept' },
      ...{ '/to/sub/replaced': 'from replaced', '/to/sub/both': 'to both', '/to/sub/both(1)': 'from both' },
      ...{ '/to/sub/older': 'to older', '/to/sub/newer': 'from newer' },
    })
    if (kind === 'move') expect(await to.names('/from/sub')).toEqual(['kept', 'older'])
    if (kind === 'move') expect(await to.names('/from')).toEqual(['sub'])
    else expect((await to.names('/from/sub')).length).toBe(6)
  })

  test.each(kinds)('a %s without an answer for a name that is taken is refused, and nothing changes', async (kind) => {
    const to = await conflicting()
    const before = await to.tree()
    const refusing: TakenRule = { default: 'refuse', by: { 'sub/kept': 'replace' } }
    expect(await refusalOf(transfer(to, kind, '/from', '/to', refusing))).toMatchObject({ code: 'already-exists' })
    await to.storage.unstage(at('/to'), id)
    expect(await to.tree()).toEqual(before)
  })

  test.each(kinds)('a %s of what is not there, or to a name that is taken, is refused', async (kind) => {
    const to = await make()
    await to.put({ '/box/a': '1', '/p/box/b': '2' })
    const before = await to.tree()
    expect(await refusalOf(stage(to, kind, '/none', '/p/none'))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(transfer(to, kind, '/none', '/p/none'))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(transfer(to, kind, '/box', '/p/box'))).toMatchObject({ code: 'already-exists' })
    expect(await refusalOf(stage(to, kind, '/box', '/box/deep'))).toMatchObject({ code: 'invalid' })
    await to.storage.unstage(at('/p/box'), id)
    expect(await to.tree()).toEqual(before)
  })

  test('what is not staged cannot be published, and is dropped without a word, also where no folder is', async () => {
    const to = await make()
    await to.createFolder('/p')
    const publishing = to.storage.publish(at('/p/box'), id, { replace: false })
    expect(await refusalOf(publishing)).toMatchObject({ code: 'not-found' })
    for (const path of ['/p/box', '/none/box']) await to.storage.unstage(at(path), id, { publish: true })
    expect(await to.tree()).toEqual({ '/p/': '' })
  })

  test('copies and removals tell how far they are', async () => {
    const to = await make()
    await to.put({ '/box/a': '1', '/box/deep/b': '22', '/c': '333' })
    for (const [path, files, bytes] of [
      ['/box', 2, 3],
      ['/c', 1, 3],
    ] as const) {
      expect((await stage(to, 'copy', path, `/p${path}`)).every((done) => done.files <= files)).toBe(true)
      const told: Done[] = []
      const progress = (done: Done) => void told.push(done)
      await to.storage.copy(at(path), at(`/p${path}`), { replace: false, staged: id, progress })
      expect(told.at(-1)).toMatchObject({ files, bytes })
      await to.storage.unstage(at(`/p${path}`), id)
      await to.storage.remove(at(path), { progress })
      expect(told.at(-1)).toMatchObject({ files, bytes })
    }
  })
}
