import { expect, test } from 'bun:test'
import { allRights, noRights } from '@filestead/contract'
import { parseLocation } from '../mounts/location.ts'
import type { MountFacts } from '../mounts/store.ts'
import { parsePath } from '../storage/path.ts'
import type { ActorGrant } from './granted.ts'
import { homeOf, treeOf } from './tree.ts'

const mount = (id: number, name: string): MountFacts => ({
  ...{ id, name, folder: '', links: 'inside', readOnly: false, source: 'stored' },
})
const files = mount(1, 'Files')
const photos = mount(2, 'Photos')
const grant = (location: string, rights = allRights): ActorGrant => ({ location: parseLocation(location), rights })
const treeFor = (scope: string | undefined, mounts: MountFacts[], ...grants: ActorGrant[]) =>
  treeOf(scope === undefined ? undefined : homeOf(scope), mounts, grants)
const namesIn = (tree: ReturnType<typeof treeOf>) => (tree.isNamed ? tree.parts.map(({ name }) => name) : 'unnamed')

test('a tree has no names where the only mount shows one part', () => {
  expect(namesIn(treeFor('/', [files]))).toBe('unnamed')
  expect(namesIn(treeFor('./users/bob/', [files]))).toBe('unnamed')
  expect(namesIn(treeFor('/', [files], grant('/team')))).toBe('unnamed')
  expect(namesIn(treeFor('/users/bob', [files], grant('/users/bob/x'), grant('/team', noRights)))).toBe('unnamed')
  expect(namesIn(treeFor(undefined, [files], grant('/team')))).toBe('unnamed')
})

test('a second mount, or a grant outside of the home, gives the parts names: home first, then by name', () => {
  expect(namesIn(treeFor('/', [files, photos]))).toEqual(['Files'])
  expect(namesIn(treeFor('/users/bob', [files, photos]))).toEqual(['Home'])
  expect(namesIn(treeFor('/users/bob', [files], grant('/team')))).toEqual(['Home', 'Files'])
  expect(namesIn(treeFor('/users/bob', [files], grant('/')))).toEqual(['Home', 'Files'])
  expect(namesIn(treeFor('/users/bob', [files, mount(3, 'Art'), photos], grant('2:/a'), grant('3:/', 1)))).toEqual([
    ...['Home', 'Art', 'Photos'],
  ])
  expect(namesIn(treeFor('/', [files, photos], grant('2:/', noRights)))).toEqual(['Files'])
  expect(namesIn(treeFor(undefined, [files, photos], grant('2:/a')))).toEqual(['Photos'])
  expect(namesIn(treeFor(undefined, [files]))).toEqual([])
})

test('paths lead to locations and back; what is in the home is named by the home', () => {
  const tree = treeFor('/users/bob', [files, photos], grant('/'), grant('2:/'))
  for (const [path, location] of [
    ['/Home', '/users/bob'],
    ['/Home/a/b', '/users/bob/a/b'],
    ['/Files', '/'],
    ['/Files/users/bobby', '/users/bobby'],
    ['/Photos', '2:/'],
    ['/Photos/a', '2:/a'],
  ] as const) {
    expect([path, tree.locate(parsePath(path))]).toEqual([path, parseLocation(location)])
    expect([location, tree.pathTo(parseLocation(location))]).toEqual([location, parsePath(path)])
  }
  expect(tree.locate(parsePath('/Files/users/bob/a'))).toBe(parseLocation('/users/bob/a'))
  for (const path of ['/', '/home', '/Phot', '/Photos2/a', '/2:'])
    expect([path, tree.locate(parsePath(path))]).toEqual([path, undefined])
  expect(tree.pathTo(parseLocation('3:/a'))).toBeUndefined()
  expect(treeFor('/users/bob', [files]).pathTo(parseLocation('/team'))).toBeUndefined()
})
