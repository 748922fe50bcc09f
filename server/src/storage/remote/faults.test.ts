import { describe, expect, test } from 'bun:test'
import { Failure } from '../../failure.ts'
import { parsePath, type VirtualPath } from '../path.ts'
import { keepFor } from '../testing/keeping.fixture.ts'
import { type FakeFiles, fakeFileServer, fakeObjectStore } from '../testing/remote.fixture.ts'
import { memoryRemoteRecords } from '../testing/remote-records.fixture.ts'
import { remoteSubject } from '../testing/remote-subject.fixture.ts'
import { type Handle, handle, piecesOf } from '../testing/subject.fixture.ts'
import type { TakenRule } from '../transfer-options.ts'

interface Subject extends Handle {
  readonly files: FakeFiles
}

const makers: Record<string, () => Subject> = {
  'an object store': () => {
    const records = memoryRemoteRecords()
    const files = fakeObjectStore(records.drafts)
    return { ...handle(remoteSubject(files, records)), files }
  },
  'a file server': () => {
    const files = fakeFileServer()
    return { ...handle(remoteSubject(files, memoryRemoteRecords())), files }
  },
}

interface Scenario {
  readonly before: Record<string, string>
  /** Makes ready, and answers the verb, which can be called again. */
  prepare(subject: Subject): Promise<() => Promise<unknown>>
  /** What has to lie in the visible tree in the end. */
  readonly end: Record<string, string>
  /** The contents of files that may be seen, halfway or in the end. */
  readonly contents?: readonly string[]
}

const at = parsePath
const id = 'job.0'
const tree = { '/box/a': 'content a', '/box/b': 'content b', '/box/deep/c': 'content c', '/other': 'other' }
const rule: TakenRule = { default: 'replace', by: { 'deep/c': 'keep-both', skipped: 'skip' } }
const merged = { ...tree, '/to/a': 'old a', '/to/deep/c': 'old c', '/to/skipped': 'theirs', '/box/skipped': 'ours' }

async function removed(subject: Subject): Promise<{ place: VirtualPath; remove(): Promise<void> }> {
  const keep = keepFor('remove')
  const place = (await subject.storage.keepPlace(at('/box'), keep)) ?? at('/')
  return { place, remove: () => subject.storage.remove(at('/box'), { keptAt: place, keep }) }
}

const scenarios: Record<string, Scenario> = {
  'a folder is renamed': {
    before: tree,
    prepare:
      async ({ storage }) =>
      () =>
        storage.rename(at('/box'), at('/p/box'), { replace: false, staged: id }),
    end: {
      ...{ '/p/': '', '/p/box/': '', '/p/box/a': 'content a', '/p/box/b': 'content b' },
      ...{ '/p/box/deep/': '', '/p/box/deep/c': 'content c', '/other': 'other' },
    },
  },
  'a folder is copied': {
    before: tree,
    prepare:
      async ({ storage }) =>
      () =>
        storage.copy(at('/box'), at('/p'), { replace: false, staged: id }),
    end: {
      ...{ '/box/': '', '/box/deep/': '', ...tree },
      ...{ '/p/': '', '/p/a': 'content a', '/p/b': 'content b', '/p/deep/': '', '/p/deep/c': 'content c' },
    },
  },
  'a folder is removed into the trash': {
    before: tree,
    prepare: async (subject) => (await removed(subject)).remove,
    end: { '/other': 'other' },
  },
  'a folder is restored': {
    before: tree,
    async prepare(subject) {
      const { place, remove } = await removed(subject)
      await remove()
      return () => subject.storage.restore(place, at('/back/box'), { replace: false, keep: keepFor('restore') })
    },
    end: {
      ...{ '/back/': '', '/back/box/': '', '/back/box/a': 'content a', '/back/box/b': 'content b' },
      ...{ '/back/box/deep/': '', '/back/box/deep/c': 'content c', '/other': 'other' },
    },
  },
  'a file is written over': {
    before: { '/a': 'old' },
    prepare:
      async ({ storage }) =>
      () =>
        storage.write(at('/a'), piecesOf('new content'), { precondition: 'any', keep: keepFor('save') }),
    end: { '/a': 'new content' },
    contents: ['new content'],
  },
  'a folder is moved onto another one': {
    before: merged,
    prepare:
      async ({ storage }) =>
      () =>
        storage.rename(at('/box'), at('/to'), { replace: true, taken: rule, staged: id, keep: keepFor('move') }),
    end: {
      ...{ '/other': 'other', '/box/': '', '/box/skipped': 'ours', '/to/': '', '/to/a': 'content a' },
      ...{ '/to/b': 'content b', '/to/deep/': '', '/to/deep/c': 'old c', '/to/deep/c(1)': 'content c' },
      '/to/skipped': 'theirs',
    },
  },
}

const away = () => new Failure('unavailable', 'The server does not answer')

/** The nth call, and with `isLasting` all that follow, are refused, or carried out without an answer. */
function breakAt(files: FakeFiles, nth: number, when: 'before' | 'after', isLasting: boolean): () => boolean {
  let [count, isBroken] = [0, false]
  files.faults[when] = () => {
    count += 1
    if (count !== nth && !(isLasting && count > nth)) return
    isBroken = true
    throw away()
  }
  return () => isBroken
}

const kinds = [
  ['one call is refused', 'before', false],
  ['the answer to one call is lost', 'after', false],
  ['the server is away from one call on', 'before', true],
  ['it goes away with the answer to one call', 'after', true],
] as const

describe.each(Object.keys(makers))('over %s', (shape) => {
  describe.each(Object.entries(scenarios))('%s', (_, { before, prepare, end, contents = [] }) => {
    test.each(kinds)('%s: nothing is lost or half visible, and a second call ends it', async (_, when, isLasting) => {
      for (let nth = 1; ; nth += 1) {
        const subject = (makers[shape] as () => Subject)()
        const { files, tree: shown, put } = subject
        await put(before)
        const verb = await prepare(subject)
        const isBroken = breakAt(files, nth, when, isLasting)
        const failure = await verb().then(
          () => undefined,
          (error: unknown) => error,
        )
        files.faults[when] = undefined
        const known = new Set([...Object.values(before), ...contents])
        const lying = new Set(Object.values(files.dump()))
        // Everything is still somewhere, and whatever shows is whole.
        for (const content of Object.values(before))
          expect([nth, lying.has(content), content]).toEqual([nth, true, content])
        for (const [path, content] of Object.entries(await shown()))
          if (!path.endsWith('/')) expect([nth, known.has(content), path]).toEqual([nth, true, path])
        if (!isBroken()) {
          expect(failure).toBeUndefined()
          expect(await shown()).toEqual(end)
          expect(nth).toBeGreaterThan(3)
          return
        }
        if (failure !== undefined) {
          expect(failure).toMatchObject({ code: 'unavailable' })
          await verb().catch((error: unknown) => {
            // It was carried out, and only the answer was lost.
            if (!(error instanceof Failure) || error.code !== 'not-found') throw error
          })
        }
        expect([nth, await shown()]).toEqual([nth, end])
        for (const content of Object.values(before))
          expect([nth, Object.values(files.dump()).includes(content), content]).toEqual([nth, true, content])
      }
    })
  })
})
