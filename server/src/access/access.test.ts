import { expect, test } from 'bun:test'
import { allRights, rightSet, type Subject, User } from '@filestead/contract'
import { type Location, locationIn, parseLocation, pathIn } from '../mounts/location.ts'
import { parsePath, rootPath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { accessTo, oneMount } from './access.fixture.ts'
import { accessReader, scopeIn } from './access.ts'
import { actorOf } from './actor.ts'
import type { ActorGrant } from './granted.ts'

const bob = User.parse({ id: 7, username: 'bob', scope: '/users/bob' })
const grant = (location: string, rights: number): ActorGrant => ({ location: parseLocation(location), rights })
const codeOf = (work: () => Promise<unknown>) =>
  (async () => work())().then(
    () => 'done',
    (error: { code?: string }) => error.code,
  )

async function* only(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

function world() {
  const disk = memoryStorage()
  const state = { version: 1, groups: [] as number[], grants: {} as Record<Subject, ActorGrant[]>, foldsCase: false }
  const reads: string[][] = []
  let resolved = 0
  const reader = accessReader({
    version: async () => state.version,
    mounts: {
      all: async () => oneMount,
      storageAt(base) {
        const at = pathIn(parseLocation(base))
        const storage = at === rootPath ? disk : disk.beneath(at)
        return {
          ...storage,
          get capabilities() {
            return { ...disk.capabilities, foldsCase: state.foldsCase }
          },
          resolve(path) {
            resolved += 1
            return storage.resolve(path)
          },
        }
      },
      isAway: () => false,
      transfer: () => Promise.reject(new Error('one mount')),
      stage: () => Promise.reject(new Error('one mount')),
    },
    groupIdsOf: async () => state.groups,
    formerGrantsFor: async () => [],
    async grantsFor(subjects) {
      reads.push([...subjects])
      return subjects.flatMap((subject) => state.grants[subject] ?? [])
    },
  })
  const scope = async (user = bob) => scopeIn(await reader.ofUser(user), actorOf(user, []))
  const put = (path: string) => disk.write(parsePath(path), only(path), { precondition: 'absent' })
  return { disk, state, reads, reader, scope, put, resolvedCount: () => resolved }
}

test('accounts with very many grants are kept until those of all together are too many', async () => {
  const { state, reader, reads } = world()
  const many = Array.from({ length: 90_000 }, (_, at) => grant(`/team/${at}`, allRights))
  for (const id of [1, 2, 3]) state.grants[`user:${id}`] = many
  const ask = async (id: number) => void (await reader.ofUser(User.parse({ id, username: `u${id}`, scope: '/' })))
  for (const id of [1, 2, 2, 1]) await ask(id)
  expect(reads.map(([, user]) => user)).toEqual(['user:1', 'user:2'])
  for (const id of [3, 1, 2]) await ask(id)
  expect(reads.map(([, user]) => user)).toEqual(['user:1', 'user:2', 'user:3', 'user:2'])
})

test('without grants an account has all rights in its home, and nothing is asked for them', async () => {
  const { reader, scope, put, reads } = world()
  await put('/users/bob/a.txt')
  const access = await reader.ofUser(bob)
  expect([access.tree.isNamed, access.viewOf(actorOf(bob, [])).rights]).toEqual([false, undefined])
  const own = await scope()
  expect([own.rightsAt(parsePath('/a.txt')), own.rightsIn(rootPath)]).toEqual([allRights, undefined])
  expect(own.locate(parsePath('/a.txt'))).toBe(locationIn(1, parsePath('/users/bob/a.txt')))
  expect(reads).toEqual([['everybody', 'user:7']])
})

test('grants are read once, and again when the counter has gone up or the account has another scope', async () => {
  const { state, reader, reads } = world()
  const names = async (user = bob) => (await reader.ofUser(user)).tree.parts.map(({ name }) => name)
  expect([await names(), await names(), reads.length]).toEqual([['Home'], ['Home'], 1])
  state.groups = [3]
  state.grants = { 'group:3': [grant('/team', allRights)] }
  expect([await names(), reads.length]).toEqual([['Home'], 1])
  state.version = 2
  expect([await names(), reads.length]).toEqual([['Home', 'Files'], 2])
  expect(reads[1]).toEqual(['everybody', 'user:7', 'group:3'])
  expect([await names({ ...bob, scope: '/' }), reads.length]).toEqual([['Files'], 3])
})

test('names that differ in case are one as soon as the mount takes them for the same', async () => {
  const { state, scope } = world()
  state.grants = { everybody: [grant('/users/bob/Private', 0)] }
  const isSeen = async () => (await scope()).rightsAt(parsePath('/private')) !== 0
  expect(await isSeen()).toBe(true)
  state.foldsCase = true
  expect(await isSeen()).toBe(false)
})

test('guests have what is granted to guests, and no home', async () => {
  const { state, reader, reads } = world()
  expect(await reader.hasGuests()).toBe(false)
  state.version = 2
  state.grants = { guest: [grant('/public', rightSet('see', 'download'))], everybody: [grant('/', allRights)] }
  expect(await reader.hasGuests()).toBe(true)
  const { tree, granted } = await reader.ofGuest()
  expect([tree.isNamed, tree.parts.map(({ base, isHome }) => [base as string, isHome])]).toEqual([
    false,
    [['/', false]],
  ])
  expect([granted.rightsAt(parseLocation('/public/a')), granted.rightsAt(parseLocation('/users'))]).toEqual([3, 0])
  expect(reads.at(-1)).toEqual(['guest'])
  state.version = 3
  state.grants = { guest: [grant('/public', 0)] }
  expect(await reader.hasGuests()).toBe(false)
})

test('a home that is a symlink has the rights of the place it leads to, from the next request on', async () => {
  const { disk, state, scope, put } = world()
  await put('/users/bob/private/a.txt')
  await put('/data/bob/private/a.txt')
  state.grants = { 'user:7': [grant('/data/bob/private', 0)] }
  const read = () => codeOf(async () => (await scope()).open(parsePath('/private/a.txt')))
  expect(await read()).toBe('done')
  const before = await scope()
  await disk.rename(parsePath('/users/bob'), parsePath('/users/old'), { replace: false })
  disk.putLink('../data/bob', parsePath('/users/bob'))
  // Begun before the swap: its rights were those of the old place, and nothing is read at the new one.
  expect(await codeOf(() => before.open(parsePath('/private/a.txt')))).toBe('changed-meanwhile')
  expect(await read()).toBe('forbidden')
  expect(await codeOf(async () => (await scope()).stat(parsePath('/private')))).toBe('forbidden')
  await disk.remove(parsePath('/users/bob'))
  await disk.rename(parsePath('/users/old'), parsePath('/users/bob'), { replace: false })
  expect(await read()).toBe('done')
})

test('where a home lies is looked up once, as long as it is no symlink', async () => {
  const { state, scope, put, resolvedCount } = world()
  await put('/users/bob/a.txt')
  state.grants = { 'user:7': [grant('/team', allRights)] }
  for (let request = 0; request < 5; request += 1) await (await scope()).stat(parsePath('/Home/a.txt'))
  expect(resolvedCount()).toBe(1)
})

test('grants of a kept folder hold at the place that it had, also where its name is no text', () => {
  const name = 'b\udce9d'
  const kept = {
    place: `/.Trash-${process.geteuid?.()}/files/${name}.1` as Location,
    location: `/team/${name}` as Location,
  }
  const place = kept.place.toWellFormed() as Location
  const access = accessTo(memoryStorage(), {
    home: undefined,
    grants: [grant('/team', rightSet('see', 'download')), { location: place, rights: 0 }],
  })
  const seen = access.viewOfKept(actorOf(bob, []), kept)
  expect(seen?.view.visibility.sees(parsePath(`/team/${name.toWellFormed()}`))).toBe(false)
  const plain = access.viewOfKept(actorOf(bob, []), { ...kept, location: parseLocation('/team/other') })
  expect(plain?.view.visibility.sees(parsePath('/team/other'))).toBe(false)
  const free = { place: parseLocation(`/.Trash-${process.geteuid?.()}/files/c.2`), location: parseLocation('/team/c') }
  expect(access.viewOfKept(actorOf(bob, []), free)?.view.visibility.sees(parsePath('/team/c'))).toBe(true)
})
