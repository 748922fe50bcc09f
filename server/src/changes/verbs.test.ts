import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Right, rightSet, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { testDatabase } from '../../test/database.ts'
import { accessTo, oneMount } from '../access/access.fixture.ts'
import { scopeIn } from '../access/access.ts'
import { actorOf } from '../access/actor.ts'
import { type Scope, scopeOf } from '../access/scope.ts'
import type { Database } from '../database/schema.ts'
import { parseLocation } from '../mounts/location.ts'
import { parsePath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import type { Change, ChangeKind } from './change.ts'
import type { Follower } from './follower.ts'
import { journalIn } from './journal.ts'
import type { Changes } from './pipeline.ts'
import {
  copyEntry,
  createFile,
  createFolder,
  moveEntry,
  removeEntry,
  saveFile,
  uploadFile,
  uploadWholeFile,
} from './verbs.ts'

const kinds: ChangeKind[] = ['save', 'create', 'create-folder', 'upload', 'copy', 'move', 'remove']
const perm = { create: true, modify: true, rename: true, delete: true }
const ann = User.parse({ username: 'ann', id: 7, scope: '/', perm })
const [a, b, c] = [parsePath('/a'), parsePath('/b'), parsePath('/c')]

let db: Kysely<Database>
let steps: string[]
let heard: Change[]
let refusing: string
let changes: Changes
let scope: Scope

beforeEach(async () => {
  db = await testDatabase()
  steps = []
  heard = []
  refusing = ''
  const follower: Follower = {
    name: 'all',
    kinds: new Set(kinds),
    async prepare(change) {
      heard.push(change)
      steps.push('prepare')
      return {
        intent: 'wanted',
        notes: null,
        mark: async () => void steps.push('intent'),
        conclude: async (result) => async () => void steps.push(`outcome: ${result}`),
      }
    },
    recover: async () => undefined,
  }
  const clock = { unixSeconds: () => 0 }
  const node = { id: 'one', isAlive: () => true }
  const journal = journalIn({ db, clock, node, log: { warn() {} }, followers: [follower] })
  const hook = async (step: string) => {
    steps.push(step)
    if (step === refusing) throw new Error('refused')
  }
  const hooks = { before: (event: string) => hook(`before ${event}`), after: (event: string) => hook(`after ${event}`) }
  changes = { door: 'web', journal, hooks, realPath: async (location) => `/srv${location}` }
  scope = scopeOf(actorOf(ann, []), memoryStorage())
})
afterEach(() => db.destroy())

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
const content = (text: string) => ({ bytes: bytesOf(text), length: text.length })
const announced = (length: number) => ({ length, override: true, modified: undefined })

test('every verb is a change that followers hear of', async () => {
  await createFile(changes, scope, a, content('one'), { override: false })
  await saveFile(changes, scope, a, content('three'), { ifMatch: null })
  await createFolder(changes, scope, parsePath('/folder'))
  await uploadWholeFile(changes, scope, b, announced(0), new Uint8Array())
  await uploadFile(changes, scope, b, announced(3), (options) => scope.write(b, bytesOf('two'), options))
  await copyEntry(changes, scope, { from: a, to: c, onConflict: 'fail' })
  await moveEntry(changes, scope, { from: a, to: b, onConflict: 'rename' })
  await removeEntry(changes, scope, c)
  expect(heard.map(({ kind, from, to, size }) => [kind, from, to, size] as unknown[])).toEqual([
    ['create', undefined, a, 3],
    ['save', undefined, a, 5],
    ['create-folder', undefined, parsePath('/folder'), undefined],
    ['upload', undefined, b, 0],
    ['upload', undefined, b, 3],
    ['copy', a, c, undefined],
    ['move', a, b, undefined],
    ['move', a, parsePath('/b(1)'), undefined],
    ['remove', c, undefined, undefined],
  ])
  for (const { actor, door } of heard) expect({ actor, door }).toEqual({ actor: { id: 7, name: 'ann' }, door: 'web' })
})

test('the steps of a change come in their order', async () => {
  await createFile(changes, scope, a, content('one'), { override: false })
  expect(steps).toEqual(['before upload', 'prepare', 'intent', 'outcome: done', 'after upload'])
})

test('a hook that refuses ends a change before its intent', async () => {
  refusing = 'before upload'
  const refused = await createFile(changes, scope, a, content('one'), { override: false }).catch(String)
  expect([refused, steps, await scope.stat(a).catch(({ code }) => code)]).toEqual([
    'Error: refused',
    ['before upload'],
    'not-found',
  ])
})

test('work that fails has an outcome, and no hook after it', async () => {
  await createFile(changes, scope, a, content('one'), { override: false })
  steps = []
  const failed = await createFile(changes, scope, b, { bytes: bytesOf('one'), length: 2 }, { override: false }).catch(
    ({ code }) => code,
  )
  expect(failed).toBeString()
  expect(steps).toEqual(['before upload', 'prepare', 'intent', 'outcome: failed'])
})

test('a change without the permission runs no step', async () => {
  await createFile(changes, scope, a, content('one'), { override: false })
  steps = []
  const bare = scopeOf(actorOf({ ...ann, perm: { ...ann.perm, delete: false } }, []), memoryStorage())
  expect(await removeEntry(changes, bare, a).catch(({ code }) => code)).toBe('forbidden')
  expect(steps).toEqual([])
})

test('the root is neither removed nor moved, and a folder does not go into itself', async () => {
  const root = parsePath('/')
  const codes = [
    await removeEntry(changes, scope, root).catch(({ code }) => code),
    await moveEntry(changes, scope, { from: root, to: a, onConflict: 'fail' }).catch(({ code }) => code),
    await copyEntry(changes, scope, { from: a, to: parsePath('/a/b'), onConflict: 'fail' }).catch(({ code }) => code),
  ]
  expect([codes, steps]).toEqual([['forbidden', 'forbidden', 'invalid'], []])
})

test.each(['move', 'copy'])('a %s hands the signal of its client to the storage', async (verb) => {
  const seen: unknown[] = []
  const memory = memoryStorage()
  const note: typeof memory.rename = async (_from, _to, options) => void seen.push(options.signal)
  const watched = scopeOf(actorOf(ann, []), { ...memory, rename: note, copy: note })
  await createFile(changes, watched, a, content('one'), { override: false })
  const { signal } = new AbortController()
  await (verb === 'move' ? moveEntry : copyEntry)(changes, watched, { from: a, to: b, onConflict: 'fail', signal })
  expect(seen).toEqual([signal])
})

test('a change that grants do not allow runs no step, nor does one at the top of several mounts', async () => {
  const storage = memoryStorage()
  await storage.write(a, bytesOf('one'), { precondition: 'absent' })
  const rightsOf = (...rights: Right[]) =>
    scopeIn(
      accessTo(storage, { home: undefined, grants: [{ location: parseLocation('/'), rights: rightSet(...rights) }] }),
      actorOf(ann, []),
    )
  const refused = async (work: Promise<unknown>) => work.then(String, ({ code }) => code)
  expect(await refused(removeEntry(changes, rightsOf('see', 'change'), a))).toBe('forbidden')
  expect(await refused(moveEntry(changes, rightsOf('see', 'delete'), { from: a, to: b, onConflict: 'fail' }))).toBe(
    'forbidden',
  )
  expect(await refused(copyEntry(changes, rightsOf('see', 'create'), { from: a, to: b, onConflict: 'fail' }))).toBe(
    'forbidden',
  )
  expect(await refused(saveFile(changes, rightsOf('see', 'create'), a, content('two'), { ifMatch: null }))).toBe(
    'forbidden',
  )
  expect(await refused(createFolder(changes, rightsOf('see', 'change'), c))).toBe('forbidden')
  expect(await refused(createFile(changes, rightsOf('see', 'create'), a, content('x'), { override: true }))).toBe(
    'forbidden',
  )
  const mounts = [...oneMount, { ...(oneMount[0] as (typeof oneMount)[number]), id: 2, name: 'Second' }]
  const named = scopeIn(accessTo(storage, { mounts }), actorOf(ann, []))
  expect(await refused(createFolder(changes, named, c))).toBe('not-found')
  expect(steps).toEqual([])
})

test('a hook hears of a file that is put where nothing shows', async () => {
  const grants = [{ location: parseLocation('/'), rights: rightSet('create') }]
  const box = scopeIn(accessTo(memoryStorage(), { home: undefined, grants }), actorOf(ann, []))
  await createFile(changes, box, a, content('one'), { override: true })
  expect(steps).toEqual(['before upload', 'prepare', 'intent', 'outcome: done', 'after upload'])
})
