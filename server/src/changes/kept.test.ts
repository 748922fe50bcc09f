import { afterAll, beforeEach, expect, test } from 'bun:test'
import { User } from '@filestead/contract'
import { accessTo } from '../access/access.fixture.ts'
import { scopeIn } from '../access/access.ts'
import { actorOf } from '../access/actor.ts'
import type { Scope } from '../access/scope.ts'
import { isInStore, type Location } from '../mounts/location.ts'
import { parsePath } from '../storage/path.ts'
import { makeDisk, makeHandle, removeFolders } from '../storage/testing/disk.fixture.ts'
import { keepFor, keepingParts } from '../storage/testing/keeping.fixture.ts'
import type { Handle } from '../storage/testing/subject.fixture.ts'
import type { Change } from './change.ts'
import type { Changes } from './pipeline.ts'
import { removeEntry, restoreEntry } from './verbs.ts'

afterAll(removeFolders)

const perm = { create: true, modify: true, rename: true, delete: true }
const userWith = (lacks: Partial<typeof perm>) =>
  User.parse({ username: 'ann', id: 7, scope: '/', perm: { ...perm, ...lacks } })
const [a, b] = [parsePath('/a'), parsePath('/b')]

let disk: Handle
let heard: Change[]
let changes: Changes
let scopeWith: (lacks?: Partial<typeof perm>) => Scope

beforeEach(async () => {
  disk = await makeHandle(makeDisk(keepingParts()))
  heard = []
  changes = {
    door: 'web',
    hooks: undefined,
    realPath: async () => '',
    journal: {
      record: (change, work) => {
        heard.push(change)
        return work()
      },
      recover: async () => {},
      close: async () => {},
    },
    operations: {
      begin: async ({ kind }) => ({ keep: keepFor(kind === 'restore' ? 'restore' : 'remove'), end: async () => {} }),
    },
  }
  scopeWith = (lacks = {}) => scopeIn(accessTo(disk.storage), actorOf(userWith(lacks), []))
  await disk.put({ '/a': 'old' })
})

async function removed(): Promise<Location> {
  await removeEntry(changes, scopeWith(), a)
  const to = heard.at(-1)?.to
  if (to === undefined) throw new Error('It was not kept')
  return to
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: { code?: unknown }) => error.code,
  )

test('to followers a kept thing moves into the store, and a restored one out of it', async () => {
  const kept = await removed()
  expect(isInStore(kept)).toBe(true)
  expect(heard).toMatchObject([{ kind: 'remove', from: '/a', to: kept }])
  expect(await restoreEntry(changes, scopeWith(), { kept, to: b, onConflict: 'fail' })).toBe(b)
  expect(heard.at(-1)).toMatchObject({ kind: 'restore', from: kept, to: '/b' })
  expect(await disk.tree()).toEqual({ '/b': 'old' })
})

test('for good, a thing is removed and has no place', async () => {
  await removeEntry(changes, scopeWith(), a, { forGood: true })
  expect([heard[0]?.kind, heard[0]?.to]).toEqual(['remove', undefined])
  const kept: unknown[] = []
  await disk.storage.kept((found) => void kept.push(...found))
  expect(kept).toEqual([])
})

test('without operations nothing is kept', async () => {
  await removeEntry({ ...changes, operations: undefined }, scopeWith(), a)
  expect(heard[0]?.to).toBeUndefined()
})

test('a restore finds its name taken: it fails, gets another name, or replaces what is there', async () => {
  const kept = await removed()
  await disk.put({ '/a': 'new' })
  const restore = (onConflict: 'fail' | 'rename' | 'overwrite', item = kept) =>
    restoreEntry(changes, scopeWith(), { kept: item, to: a, onConflict })
  expect(await codeOf(restore('fail'))).toBe('already-exists')
  const other = await restore('rename')
  expect(heard.at(-1)).toMatchObject({ kind: 'restore', from: kept, to: other })
  expect(await disk.tree()).toEqual({ '/a': 'new', [other]: 'old' })
  const second = await removed()
  await disk.put({ '/a': 'newest' })
  await restore('overwrite', second)
  expect(await disk.read('/a')).toBe('new')
})

test('a restore needs the permission to create, and over a version that to modify', async () => {
  const kept = await removed()
  const restore = (lacks: Partial<typeof perm>, over?: readonly string[]) =>
    restoreEntry(changes, scopeWith(lacks), { kept, to: a, onConflict: 'fail', over })
  expect(await codeOf(restore({ create: false }))).toBe('forbidden')
  await disk.put({ '/a': 'new' })
  const over = [(await disk.stat('/a')).version]
  expect(await codeOf(restore({ modify: false }, over))).toBe('forbidden')
  expect(await codeOf(restore({ create: false }, over))).toBe('done')
  expect(await disk.read('/a')).toBe('old')
})

test('without the permission to modify nothing is replaced', async () => {
  const kept = await removed()
  await disk.put({ '/a': 'new' })
  const work = restoreEntry(changes, scopeWith({ modify: false }), { kept, to: a, onConflict: 'overwrite' })
  expect(await codeOf(work)).toBe('forbidden')
  expect(await disk.read('/a')).toBe('new')
})

test('the root is not replaced by what is restored', async () => {
  const kept = await removed()
  expect(await codeOf(restoreEntry(changes, scopeWith(), { kept, to: parsePath('/'), onConflict: 'overwrite' }))).toBe(
    'forbidden',
  )
})
