import { describe, expect, test } from 'bun:test'
import { Failure } from '../../failure.ts'
import { parsePath as at, type VirtualPath } from '../path.ts'
import type { RemoteFiles } from '../remote/files.ts'
import { memoryRemoteRecords } from '../testing/remote-records.fixture.ts'
import { remoteSubject } from '../testing/remote-subject.fixture.ts'
import { handle, piecesOf } from '../testing/subject.fixture.ts'
import { openS3 } from './files.ts'
import type { Fault } from './s3-server.fixture.ts'
import { fixtureServer } from './servers.fixture.ts'

const sizes = { part: 1000, copy: 2500, copyPart: 1000 }
const long = Array.from({ length: 420 }, (_, line) => String(line).padStart(9, '.')).join('\n')
const given = await fixtureServer()
given.server.leastPart = 1000

let mounts = 0

async function mounted() {
  mounts += 1
  const { server, place, keys } = given
  server.fault = () => undefined
  const prefix = `mount-${mounts}`
  const records = memoryRemoteRecords()
  const open = () =>
    openS3({ place: { ...place, prefix }, keys: async () => keys, records: records.drafts, sizes, pause: 1, tries: 3 })
  const files = open()
  await files.probe()
  const store = handle(remoteSubject(files, records))
  /** All that lies in the bucket of this mount and is hidden, and uploads under way. */
  const leftovers = () => [
    ...[...server.objects.keys()].filter((key) => key.startsWith(`${prefix}/`) && key.includes('.filestead-draft')),
    ...[...server.uploads.values()].filter(({ key }) => key.startsWith(`${prefix}/`)).map(({ key }) => `upload ${key}`),
  ]
  const clean = async () => {
    for (const { path, id } of await records.drafts.all()) await files.dropDraft(path, id)
  }
  return { files, server, records, store, leftovers, clean }
}

type Mounted = Awaited<ReturnType<typeof mounted>>

interface Work {
  prepare?(mounted: Mounted): Promise<unknown>
  run(mounted: Mounted): Promise<unknown>
  /** What may be seen afterwards, besides what was there and what shall be. */
  between?: readonly Record<string, string>[]
  before: Record<string, string>
  after: Record<string, string>
}

const put =
  (path: string, text: string) =>
  ({ store }: Mounted) =>
    store.write(path, text, { precondition: 'any' })

async function throughDraft(files: RemoteFiles, path: VirtualPath, length: number): Promise<unknown> {
  const size = await files.beginDraft(path, 'id', { length })
  const draft = await files.openDraft(path, 'id')
  if (size < 1700) await draft.append(piecesOf(long.slice(draft.size, 1700)))
  if (draft.size < long.length) await draft.append(piecesOf(long.slice(draft.size)))
  return draft.commit({ precondition: 'absent', length: long.length })
}

const works: Record<string, Work> = {
  'a small write': {
    run: put('/a', 'new'),
    prepare: put('/a', 'old'),
    before: { '/a': 'old' },
    after: { '/a': 'new' },
  },
  'a new small file': {
    run: ({ files }) => files.write(at('/a'), piecesOf('new'), { precondition: 'absent' }),
    before: {},
    after: { '/a': 'new' },
  },
  'a write of parts': {
    run: put('/a', long),
    prepare: put('/a', 'old'),
    before: { '/a': 'old' },
    after: { '/a': long },
  },
  'a draft of parts': {
    run: ({ files }) => throughDraft(files, at('/a'), long.length),
    before: {},
    after: { '/a': long },
  },
  'a draft of objects': { run: ({ files }) => throughDraft(files, at('/a'), 0), before: {}, after: { '/a': long } },
  'a copy': {
    prepare: put('/a', 'text'),
    run: ({ files }) => files.copyFile(at('/a'), at('/b'), { precondition: 'absent' }),
    before: { '/a': 'text' },
    after: { '/a': 'text', '/b': 'text' },
  },
  'a copy of parts': {
    prepare: put('/a', long),
    run: ({ files }) => files.copyFile(at('/a'), at('/b'), { precondition: 'absent' }),
    before: { '/a': long },
    after: { '/a': long, '/b': long },
  },
  'a rename': {
    prepare: put('/a', 'text'),
    run: ({ store }) => store.rename('/a', '/b'),
    before: { '/a': 'text' },
    after: { '/b': 'text' },
    between: [{ '/a': 'text', '/b': 'text' }],
  },
  'a removal': {
    prepare: put('/box/a', 'text'),
    run: ({ files }) => files.removeFile(at('/box/a')),
    before: { '/box/': '', '/box/a': 'text' },
    after: { '/box/': '' },
  },
}

/** Runs the work with the fault at the first, the second… request, until it needs no more of them. */
async function atEachRequest(
  work: Work,
  fault: Fault,
  isForGood: boolean,
  check: (made: Mounted, error: unknown) => Promise<void>,
) {
  for (let number = 1; ; number += 1) {
    const made = await mounted()
    await work.prepare?.(made)
    let count = 0
    made.server.fault = () => {
      count += 1
      return count === number || (isForGood && count > number) ? fault : undefined
    }
    const error = await work.run(made).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    made.server.fault = () => undefined
    await check(made, error)
    if (count < number) return expect(number).toBeGreaterThan(1)
  }
}

describe.each(Object.entries(works))('%s', (_name, work) => {
  test.each(['cut before', 'cut after', 'slow down', 'internal error'] as const)(
    '%s, once: nobody notices',
    async (fault) => {
      await atEachRequest(work, fault, false, async ({ store, leftovers, clean }, error) => {
        expect(error).toBeUndefined()
        expect(await store.tree()).toEqual(work.after)
        await clean()
        expect(leftovers()).toEqual([])
      })
    },
  )

  test.each(['cut before', 'cut after'] as const)(
    '%s, for good: nothing is lost, and it can be done again',
    async (fault) => {
      await atEachRequest(work, fault, true, async (made, error) => {
        const { store, leftovers, clean } = made
        if (error !== undefined)
          expect([error instanceof Failure, error]).toMatchObject([true, { code: 'unavailable' }])
        const seen = await store.tree()
        expect([work.before, work.after, ...(work.between ?? [])]).toContainEqual(seen)
        if (error === undefined) expect(seen).toEqual(work.after)
        else await work.run(made).catch(({ code }) => expect(['already-exists', 'not-found']).toContain(code))
        expect([work.after, ...(work.between ?? [])]).toContainEqual(await store.tree())
        await clean()
        expect(leftovers()).toEqual([])
      })
    },
  )
})

test('a read whose connection breaks goes on with the next byte', async () => {
  const { files, server } = await mounted()
  const entry = await files.write(at('/a'), piecesOf(long), { precondition: 'any' })
  let cuts = 3
  server.fault = ({ method }) => (method === 'GET' && cuts-- > 0 ? 'cut within' : undefined)
  expect(await new Response(files.read(at('/a'), entry, 100, long.length)).text()).toBe(long.slice(100))
  expect(cuts).toBe(-1)
})

test('a read that is given up lets its connection go', async () => {
  const { files } = await mounted()
  const entry = await files.write(at('/a'), piecesOf(long), { precondition: 'any' })
  for (let round = 0; round < 200; round += 1) {
    const reader = files.read(at('/a'), entry, 0, long.length).getReader()
    await reader.read()
    await reader.cancel()
  }
})
