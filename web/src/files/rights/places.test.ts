import { expect, test } from 'bun:test'
import type { Mount } from '@filestead/contract'
import { nameOfPlace, pathOf, placeOf, rootsOf } from './places.ts'

const mount = (id: number, name: string, path?: string, base?: string): Mount => ({
  ...{ id, name, isHome: base !== undefined, isAway: false, readOnly: false, hasTrash: true, hasVersions: true },
  ...(path !== undefined && { path }),
  ...(base !== undefined && { base }),
})

test('with one mount a path counts from the home of the administrator', () => {
  const mounts = [mount(1, 'files', '/', '/users/chief')]
  expect(placeOf('/letters', mounts)).toEqual({ mount: 1, folder: '/users/chief/letters' })
  expect(placeOf('/', mounts)).toEqual({ mount: 1, folder: '/users/chief' })
  expect(pathOf({ mount: 1, folder: '/users/chief/letters' }, mounts)).toBe('/letters')
  expect(pathOf({ mount: 1, folder: '/users' }, mounts)).toBeNull()
  expect(nameOfPlace({ mount: 1, folder: '/users' }, mounts)).toBe('/users')
})

test('with several mounts the first name of a path is the mount, and the top is no place', () => {
  const mounts = [
    mount(1, 'Home', '/Home', '/users/chief'),
    mount(1, 'files', '/files'),
    mount(2, 'Photos', '/Photos'),
    mount(3, 'Attic'),
  ]
  expect(placeOf('/', mounts)).toBeNull()
  expect(placeOf('/Home/a', mounts)).toEqual({ mount: 1, folder: '/users/chief/a' })
  expect(placeOf('/files/a', mounts)).toEqual({ mount: 1, folder: '/a' })
  expect(placeOf('/Photos', mounts)).toEqual({ mount: 2, folder: '/' })
  expect(pathOf({ mount: 1, folder: '/users/chief/a' }, mounts)).toBe('/Home/a')
  expect(pathOf({ mount: 1, folder: '/users' }, mounts)).toBe('/files/users')
  expect(pathOf({ mount: 3, folder: '/' }, mounts)).toBeNull()
  expect(rootsOf(mounts).map(({ name }) => name)).toEqual(['files', 'Photos', 'Attic'])
  expect(nameOfPlace({ mount: 2, folder: '/' }, mounts)).toBe('/Photos')
  expect(nameOfPlace({ mount: 3, folder: '/box' }, mounts)).toBe('/Attic/box')
})
