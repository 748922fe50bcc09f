import { afterAll, describe, expect, test } from 'bun:test'
import { Failure } from '../../failure.ts'
import { stageBetween, transferBetween } from '../between/between.ts'
import { parsePath } from '../path.ts'
import type { Storage } from '../port.ts'
import type { Done, TakenRule, TransferKind, TransferOptions } from '../transfer-options.ts'
import { filesIn, makeDisk, onDisk, removeFolders } from './disk.fixture.ts'
import { keepFor, keepingParts } from './keeping.fixture.ts'
import { type Faults, fakeFileServer, fakeObjectStore } from './remote.fixture.ts'
import { memoryRemoteRecords } from './remote-records.fixture.ts'
import { remoteSubject } from './remote-subject.fixture.ts'
import { type Handle, handle, refusalOf } from './subject.fixture.ts'

afterAll(removeFolders)

interface End extends Handle {
  readonly faults: Faults
  /** All that lies there, hidden things too. */
  dump(): Promise<Record<string, string>>
}

const makers: Record<string, () => Promise<End>> = {
  async disk() {
    const parts = keepingParts()
    const subject = await onDisk(makeDisk(parts))
    const keeping = { base: '', effectsOf: parts.effectsOf }
    return { ...handle({ ...subject, keeping }), faults: {}, dump: () => filesIn(subject.root) }
  },
  async 'an object store'() {
    const records = memoryRemoteRecords()
    const files = fakeObjectStore(records.drafts)
    return { ...handle(remoteSubject(files, records)), faults: files.faults, dump: async () => files.dump() }
  },
  async 'a file server'() {
    const files = fakeFileServer()
    const subject = remoteSubject(files, memoryRemoteRecords())
    return { ...handle(subject), faults: files.faults, dump: async () => files.dump() }
  },
}

const pairs = [
  ['disk', 'an object store'],
  ['an object store', 'disk'],
  ['disk', 'a file server'],
  ['an object store', 'a file server'],
] as const
const kinds = ['copy', 'move'] as const
const id = 'job.0'
const at = parsePath

async function make(one: string, other: string) {
  const [from, to] = [await makers[one]?.(), await makers[other]?.()]
  if (from === undefined || to === undefined) throw new Error('There is no such storage')
  const ends = (source: string, target: string, storage: Partial<Storage> = {}) => ({
    ...{ from: Object.assign(Object.create(from.storage) as Storage, storage), source: at(source) },
    ...{ to: to.storage, target: at(target) },
  })
  const transfer = (kind: TransferKind, source: string, target: string, options: Partial<TransferOptions> = {}) =>
    transferBetween(kind, ends(source, target), { replace: false, staged: id, ...options })
  const stage = (
    kind: TransferKind,
    source: string,
    target: string,
    taken?: TakenRule,
    progress?: (done: Done) => void,
  ) => stageBetween(kind, ends(source, target), { id, replace: taken !== undefined, taken, progress })
  return { from, to, ends, transfer, stage }
}

const tree = { '/box/a': '1', '/box/deep/b': '22', '/other': 'other' }
const arrived = { '/p/': '', '/p/box/': '', '/p/box/a': '1', '/p/box/deep/': '', '/p/box/deep/b': '22' }

const hiddenIn = (dump: Record<string, string>) => Object.keys(dump).filter((path) => path.includes('.filestead-draft'))

describe.each(pairs)('staged from %s to %s', (one, other) => {
  test.each(kinds)('a %s is one like any other, and is remembered until it is dropped', async (kind) => {
    const { from, to, transfer, stage } = await make(one, other)
    await from.put(tree)
    const told: Done[] = []
    const progress = (done: Done) => void told.push(done)
    await stage(kind, '/box', '/p/box', undefined, progress)
    expect(Object.keys(await to.tree()).filter((path) => path.startsWith('/p/box'))).toEqual([])
    for (const _ of ['asked', 'asked again']) await transfer(kind, '/box', '/p/box', { progress })
    await to.storage.unstage(at('/p/box'), id)
    for (const _ of ['asked', 'asked again']) await transfer(kind, '/other', '/p/file', { progress })
    expect(told.at(-1)).toMatchObject({ files: 1, bytes: 5 })
    await to.storage.unstage(at('/p/file'), id)
    expect(await to.tree()).toEqual({ ...arrived, '/p/file': 'other' })
    expect(await from.tree()).toEqual(kind === 'copy' ? { '/box/': '', '/box/deep/': '', ...tree } : {})
    expect(hiddenIn(await to.dump())).toEqual([])
  })

  test.each(kinds)('what was written after a %s was staged comes along', async (kind) => {
    const { from, to, transfer, stage } = await make(one, other)
    await from.put(tree)
    await stage(kind, '/box', '/p/box')
    await from.write('/box/a', 'changed', { precondition: 'any' })
    await from.write('/box/deep/c', 'new')
    await from.remove('/box/deep/b')
    await transfer(kind, '/box', '/p/box')
    expect(await to.tree()).toEqual({
      ...{ '/p/': '', '/p/box/': '', '/p/box/a': 'changed', '/p/box/deep/': '', '/p/box/deep/c': 'new' },
    })
  })

  test.each(kinds)('a %s that is given up leaves nothing', async (kind) => {
    const { from, to, stage } = await make(one, other)
    await from.put(tree)
    await to.put({ '/p/x': 'x' })
    await stage(kind, '/box', '/p/box')
    for (const _ of ['once', 'twice']) await to.storage.unstage(at('/p/box'), id)
    expect(await to.tree()).toEqual({ '/p/': '', '/p/x': 'x' })
    expect(hiddenIn(await to.dump())).toEqual([])
  })

  test.each(kinds)('a %s that is merged does with each name that is taken what the rule says', async (kind) => {
    const { from, to, transfer, stage } = await make(one, other)
    const [old, recent] = [1_000_000_000_000, 1_100_000_000_000]
    await from.write('/from/same', 'same', { modified: old })
    await to.write('/to/same', 'same', { modified: old })
    for (const [name, ours, theirs] of [
      ['kept', old, recent],
      ['replaced', old, recent],
      ['both', old, old],
      ['older', old, recent],
      ['newer', recent, old],
    ] as const) {
      await from.write(`/from/sub/${name}`, `from ${name}`, { modified: ours })
      await to.write(`/to/sub/${name}`, `to ${name}`, { modified: theirs })
    }
    await from.write('/from/sub/free', 'free', { modified: old })
    const refusing: TakenRule = { default: 'refuse', by: { 'sub/kept': 'replace' } }
    const before = await to.tree()
    const refused = transfer(kind, '/from', '/to', { replace: true, taken: refusing })
    expect(await refusalOf(refused)).toMatchObject({ code: 'already-exists' })
    expect(await refusalOf(transfer(kind, '/from', '/to'))).toMatchObject({ code: 'already-exists' })
    expect(await to.tree()).toEqual(before)
    const rule: TakenRule = {
      default: 'skip',
      by: { 'sub/replaced': 'replace', 'sub/both': 'keep-both', 'sub/older': 'newer', 'sub/newer': 'newer' },
    }
    const keep = keepFor(kind)
    await stage(kind, '/from', '/to', rule)
    for (const _ of ['asked', 'asked again']) await transfer(kind, '/from', '/to', { replace: true, taken: rule, keep })
    expect(await to.tree()).toEqual({
      ...{ '/to/': '', '/to/same': 'same', '/to/sub/': '', '/to/sub/free': 'free', '/to/sub/kept': 'to kept' },
      ...{ '/to/sub/replaced': 'from replaced', '/to/sub/both': 'to both', '/to/sub/both(1)': 'from both' },
      ...{ '/to/sub/older': 'to older', '/to/sub/newer': 'from newer' },
    })
    expect(await from.names('/from/sub')).toEqual(
      kind === 'move' ? ['kept', 'older'] : ['both', 'free', 'kept', 'newer', 'older', 'replaced'],
    )
    const kept = to.keeping?.effectsOf(keep.operation).filter((effect) => effect.kind === 'kept')
    expect(kept?.map(({ kept: { at } }) => at as string).sort()).toEqual(['/to/sub/newer', '/to/sub/replaced'])
  })

  test.each(kinds)(
    'a %s whose server goes away at any call loses nothing, and is ended by a second one',
    async (kind) => {
      for (let nth = 1; ; nth += 1) {
        const { from, to, transfer } = await make(one, other)
        await from.put(tree)
        await to.put({ '/x': 'x' })
        let [count, isBroken] = [0, false]
        const goAway = () => {
          count += 1
          if (count < nth) return
          isBroken = true
          throw new Failure('unavailable', 'The server does not answer')
        }
        for (const end of [from, to]) end.faults.before = goAway
        const failure = await transfer(kind, '/box', '/p/box').catch((error: unknown) => error)
        for (const end of [from, to]) end.faults.before = undefined
        const lying = [...Object.values(await from.dump()), ...Object.values(await to.dump())]
        for (const content of Object.values(tree)) expect([nth, lying.includes(content)]).toEqual([nth, true])
        const known = ['', 'x', ...Object.values(tree)]
        expect(Object.values(await to.tree()).filter((content) => !known.includes(content))).toEqual([])
        if (isBroken) {
          expect(failure).toMatchObject({ code: 'unavailable' })
          await transfer(kind, '/box', '/p/box')
        }
        await to.storage.unstage(at('/p/box'), id)
        expect([nth, await to.tree()]).toEqual([nth, { ...arrived, '/x': 'x' }])
        expect(Object.keys(await from.tree()).includes('/box/')).toBe(kind === 'copy')
        if (!isBroken) return
      }
    },
  )

  test.each(kinds)('a large file of a %s goes on where it stopped', async (kind) => {
    const { from, to, ends } = await make(one, other)
    const [size, half] = [9 << 20, 5 << 20]
    const text = `${'x'.repeat(size - 3)}end`
    await from.write('/large', text)
    let [read, isBroken] = [0, false]
    const open: Storage['open'] = async (path) => {
      const file = await from.storage.open(path)
      const content = { ...file.content, size, slice: (start: number, end: number) => sliced(start, end) }
      const sliced = (start: number, end: number) => {
        const stream = async function* () {
          for (let at = start; at < end; at += 1 << 20) {
            if (isBroken && read >= half) throw new Failure('unavailable', 'The server does not answer')
            read += Math.min(1 << 20, end - at)
            yield Buffer.from(text.slice(at, Math.min(at + (1 << 20), end)))
          }
        }
        return { ...file.content.slice(start, end), stream } as unknown as ReturnType<typeof file.content.slice>
      }
      return { ...file, content } as typeof file
    }
    isBroken = true
    const moving = () => transferBetween(kind, ends('/large', '/p/large', { open }), { replace: false, staged: id })
    expect(await refusalOf(moving())).toMatchObject({ code: 'unavailable' })
    expect(Object.keys(await to.tree()).filter((path) => !path.endsWith('/'))).toEqual([])
    isBroken = false
    await moving()
    expect((await to.read('/p/large')) === text).toBe(true)
    // What had arrived was not sent again.
    expect(read).toBe(size)
  })

  test('a copy of a large file that was staged gets its name, and only that is left to do', async () => {
    const { from, to, ends, stage } = await make(one, other)
    const text = 'x'.repeat(9 << 20)
    await from.write('/large', text)
    await stage('copy', '/large', '/large')
    expect(await to.tree()).toEqual({})
    let opened = 0
    const open: Storage['open'] = (path) => {
      opened += 1
      return from.storage.open(path)
    }
    await transferBetween('copy', ends('/large', '/large', { open }), { replace: false, staged: id })
    expect((await to.read('/large')) === text).toBe(true)
    if (to.storage.capabilities.atomicRename) expect(opened).toBe(0)
    await to.storage.unstage(at('/large'), id)
    expect(hiddenIn(await to.dump())).toEqual([])
  })
})
