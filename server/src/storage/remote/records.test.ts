import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Kysely } from 'kysely'
import { openDatabase } from '../../database/open.ts'
import { DatabaseRefusal } from '../../database/port.ts'
import type { Database } from '../../database/schema.ts'
import { hiddenIn, inFolder, parsePath, rootPath } from '../path.ts'
import { fakeFileServer, fakeObjectStore } from '../testing/remote.fixture.ts'
import { piecesOf, refusalOf } from '../testing/subject.fixture.ts'
import type { RemoteFiles } from './files.ts'
import { remoteMount } from './mount.ts'
import { remoteRecords } from './records.ts'
import type { RemoteRecords } from './remote.ts'

let db: Kysely<Database>
const alive = new Set<string>()

beforeEach(async () => {
  db = await openDatabase(':memory:')
  alive.clear()
})
afterEach(() => db.destroy())

/** A node that is alive until it is taken out of the set. */
function recordsOf(name: string, mount = 1): RemoteRecords {
  alive.add(name)
  return remoteRecords(db, { id: name, isAlive: (id) => id !== null && alive.has(id) }, mount)
}

const path = parsePath('/box/a')

test('what is saved is found on every node, in its mount, until it is forgotten', async () => {
  const [one, two, elsewhere] = [recordsOf('one'), recordsOf('two'), recordsOf('three', 2)]
  const odd = inFolder(hiddenIn(rootPath, 'job.0'), 'caf\udce9')
  await one.drafts.save(path, 'id', '{"part":1}')
  await one.drafts.save(path, 'id', '{"part":2}')
  await one.drafts.save(odd, 'id', 'odd')
  await one.transfers.save(path, 'id', 'begun')
  expect(await two.drafts.find(path, 'id')).toBe('{"part":2}')
  expect(await two.transfers.find(path, 'id')).toBe('begun')
  expect(await elsewhere.drafts.find(path, 'id')).toBeUndefined()
  const told = (await two.drafts.all()).map((record) => [record.path as string, record.id, record.state])
  expect(told.sort()).toEqual([
    [odd, 'id', 'odd'],
    [path, 'id', '{"part":2}'],
  ])
  expect((await two.transfers.all()).map(({ id, state }) => [id, state])).toEqual([['id', 'begun']])
  await two.drafts.forget(path, 'id')
  expect(await one.drafts.find(path, 'id')).toBeUndefined()
  expect(await one.transfers.find(path, 'id')).toBe('begun')
})

test('a lock is refused to all others while a living node has it, and a dead one lets go', async () => {
  const [one, two] = [recordsOf('one'), recordsOf('two')]
  await one.drafts.save(path, 'id', 'state')
  const release = await one.drafts.lock(path, 'id')
  expect(await refusalOf(one.drafts.lock(path, 'id'))).toMatchObject({ code: 'locked' })
  expect(await refusalOf(two.drafts.lock(path, 'id'))).toMatchObject({ code: 'locked' })
  release()
  const again = await one.drafts.lock(path, 'id')
  again()
  const other = await two.drafts.lock(path, 'id')
  alive.delete('two')
  const taken = await one.drafts.lock(path, 'id')
  // The dead node lets go late, and takes nothing away.
  other()
  await two.drafts.find(path, 'id')
  expect(await refusalOf(recordsOf('three').drafts.lock(path, 'id'))).toMatchObject({ code: 'locked' })
  taken()
  expect(await one.drafts.find(path, 'id')).toBe('state')
})

test('a lock that could not be let go while the database was away is free when that is back', async () => {
  let isAway = false
  const away = new Proxy(db, {
    get(target, name) {
      if (isAway && name === 'deleteFrom') throw new DatabaseRefusal('away', new Error('away'))
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  alive.add('one')
  const one = remoteRecords(away, { id: 'one', isAlive: (id) => id !== null && alive.has(id) }, 1)
  const release = await one.lockName(path)
  isAway = true
  release()
  const two = recordsOf('two')
  expect(await refusalOf(two.lockName(path))).toMatchObject({ code: 'locked' })
  isAway = false
  ;(await two.lockName(path).catch(() => two.lockName(path)))()
})

test('of many that want a lock at once one gets it', async () => {
  const nodes = ['one', 'two', 'three'].map((name) => recordsOf(name))
  const tries = await Promise.allSettled(nodes.map(({ drafts }) => drafts.lock(path, 'id')))
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('a lock without a state is no record, and is left by a node that dies', async () => {
  const [one, two] = [recordsOf('one'), recordsOf('two')]
  const release = await one.drafts.lock(path, 'id')
  expect([await two.drafts.find(path, 'id'), await two.drafts.all(), await two.abandoned()]).toEqual([
    undefined,
    [],
    [],
  ])
  alive.delete('one')
  expect((await two.abandoned()).map(({ id }) => id)).toEqual(['id'])
  release()
  while ((await two.abandoned()).length > 0) await Bun.sleep(1)
})

test.each([
  ['an object store', (records: RemoteRecords) => fakeObjectStore(records.drafts)],
  ['a file server', () => fakeFileServer()],
] as [string, (records: RemoteRecords) => RemoteFiles & { dump(): Record<string, string> }][])(
  'drafts on %s survive a restart, and those of no known work are cleared',
  async (_, make) => {
    const records = recordsOf('one')
    const files = make(records)
    const mountOf = (records: RemoteRecords) =>
      remoteMount(files, {
        ...{ kind: 's3', records, stores: () => ({ trash: false, versions: false }), tell: undefined, orphanAge: -1 },
        isKnownDraft: async (place) => place.endsWith('-known'),
      })
    const storage = mountOf(records).storageAt('/')
    for (const id of ['known', 'unknown']) {
      await storage.beginDraft(path, id, { precondition: 'absent' })
      const draft = await storage.openDraft(path, id, { isExclusive: true })
      await draft.append(piecesOf(id))
    }
    alive.delete('one')
    const next = mountOf(recordsOf('two'))
    await next.clearDrafts()
    await next.clearDrafts()
    const draft = await next.storageAt('/').openDraft(path, 'known', { isExclusive: true })
    expect(draft.size).toBe(5)
    await draft.commit({ precondition: 'absent' })
    draft.close()
    expect(await refusalOf(next.storageAt('/').openDraft(path, 'unknown'))).toMatchObject({ code: 'not-found' })
    expect(files.dump()).toEqual({ '/box/a': 'known' })
    next.close()
  },
)
