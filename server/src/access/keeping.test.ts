import { afterAll, expect, test } from 'bun:test'
import { allRights, type RightSet, rightSet } from '@filestead/contract'
import { mountOf, parseLocation, pathIn } from '../mounts/location.ts'
import { parsePath, rootPath } from '../storage/path.ts'
import { storeNames } from '../storage/store-names.ts'
import { makeDisk, makeHandle, removeFolders } from '../storage/testing/disk.fixture.ts'
import { keepFor, keepingParts } from '../storage/testing/keeping.fixture.ts'
import { oneMount } from './access.fixture.ts'
import { accessOf, scopeIn } from './access.ts'
import type { Actor } from './actor.ts'
import type { Scope } from './scope.ts'
import { homeOf } from './tree.ts'

afterAll(removeFolders)

const at = parsePath
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: { code?: unknown }) => error.code,
  )

/** Two mounts that keep what is removed, and scopes of accounts with a home in the first one. */
async function world() {
  const disks = [await makeHandle(makeDisk(keepingParts())), await makeHandle(makeDisk(keepingParts()))] as const
  const mounts = [...oneMount, ...oneMount.map((mount) => ({ ...mount, id: 2, name: 'Photos' }))]
  const storageAt = (base: string) => {
    const location = parseLocation(base)
    const { storage } = disks[mountOf(location) - 1] ?? disks[0]
    return pathIn(location) === rootPath ? storage : storage.beneath(pathIn(location))
  }
  const never = () => Promise.reject(new Error('Nothing is transferred'))
  const scopeOf = (home: string, grants: Record<string, RightSet> = {}, isAlone = false): Scope =>
    scopeIn(
      accessOf(
        {
          home: homeOf(home),
          mounts: isAlone ? oneMount : mounts,
          grants: Object.entries(grants).map(([location, rights]) => ({ location: parseLocation(location), rights })),
        },
        { storageAt, isAway: () => false, transfer: never, stage: never },
      ),
      { rules: [], user: { hideDotfiles: false } } as unknown as Actor,
    )
  async function remove(scope: Scope, path: string) {
    const keep = keepFor('remove')
    const kept = await scope.keepPlace(at(path), keep)
    await scope.remove(at(path), { keptAt: kept, keep })
    return kept ?? parseLocation('/')
  }
  return { disks, scopeOf, remove }
}

const inTrash = (name: string, mount = '') => new RegExp(`^${mount}/\\${storeNames.trash}/files/${name}\\.[\\w-]+$`)

test('from a home, places are those of the mount, and what is kept comes back below the home', async () => {
  const { disks, scopeOf, remove } = await world()
  await disks[0].put({ '/users/bob/docs/a': '1' })
  for (const scope of [
    scopeOf('/users/bob', {}, true),
    // Asked for by its path in the mount, because grants lie there.
    scopeOf('/users/bob', { '/users/bob/other': rightSet('see') }, true),
  ]) {
    const kept = await remove(scope, '/docs')
    expect(kept).toMatch(inTrash('docs'))
    expect(await disks[0].tree()).toEqual({ '/users/': '', '/users/bob/': '' })
    await scope.restore(kept, at('/docs'), { replace: false })
    expect(await disks[0].read('/users/bob/docs/a')).toBe('1')
  }
})

test('in a tree of several mounts each keeps its own, and nothing is restored into another one', async () => {
  const { disks, scopeOf, remove } = await world()
  await disks[1].put({ '/trip/a': '1' })
  const scope = scopeOf('/', { '2:/': allRights })
  const kept = await remove(scope, '/Photos/trip')
  expect(kept).toMatch(inTrash('trip', '2:'))
  expect(await codeOf(scope.restore(kept, at('/Files/trip'), { replace: false }))).toBe('invalid')
  await scope.restore(kept, at('/Photos/back/trip'), { replace: false })
  expect(await disks[1].read('/back/trip/a')).toBe('1')
  await disks[0].put({ '/b': '2' })
  expect(await codeOf(scope.remove(at('/Files/b'), { keptAt: kept, keep: keepFor('remove') }))).toBe('invalid')
  expect(await disks[0].read('/b')).toBe('2')
})

test('the top of a tree and its parts have no place in a store', async () => {
  const { scopeOf } = await world()
  const scope = scopeOf('/', { '2:/': allRights })
  for (const path of ['/', '/Photos'])
    expect(await codeOf(scope.keepPlace(at(path), keepFor('remove')))).toBe('forbidden')
})

test.each([
  ['see', 'a free name', 'forbidden'],
  ['create', 'a free name', 'done'],
  ['create', 'a name whose file it replaces', 'forbidden'],
  ['create change', 'a name whose file it replaces', 'done'],
  ['create', 'another version', 'forbidden'],
  ['change', 'another version', 'done'],
] as const)('with the rights to %s in the folder, a restore over %s is %s', async (names, target, outcome) => {
  const { disks, scopeOf, remove } = await world()
  await disks[0].put({ '/box/a': 'old' })
  const kept = await remove(scopeOf('/'), '/Files/box/a')
  if (target !== 'a free name') await disks[0].put({ '/box/a': 'new' })
  const over = target === 'another version' ? { over: [(await disks[0].stat('/box/a')).version] } : {}
  const rights = rightSet('see', ...(names.split(' ') as 'create'[]))
  const scope = scopeOf('/users/bob', { '/box': rights })
  const options = { replace: target === 'a name whose file it replaces', ...over }
  expect(await codeOf(scope.restore(kept, at('/Files/box/a'), options))).toBe(outcome)
})

test('a folder in which something may not be deleted is not kept either', async () => {
  const { disks, scopeOf, remove } = await world()
  await disks[0].put({ '/box/sub/a': '1' })
  const scope = scopeOf('/users/bob', { '/box': allRights, '/box/sub': rightSet('see') })
  expect(await codeOf(remove(scope, '/Files/box'))).toBe('forbidden')
  expect(await disks[0].read('/box/sub/a')).toBe('1')
})
