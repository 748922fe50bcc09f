import { expect, test } from 'bun:test'
import { checkMount, suggestedName } from './mount-fields.ts'
import { childOf, wayTo } from './server-folder.ts'

test('the way to a folder begins at the allowed folder that it lies in', () => {
  const allowed = ['/srv', '/srv/deep', '/home']
  expect(wayTo('', allowed)).toEqual([])
  expect(wayTo('/srv', allowed)).toEqual([{ folder: '/srv', name: '/srv' }])
  expect(wayTo('/srv/deep/a/b', allowed)).toEqual([
    { folder: '/srv/deep', name: '/srv/deep' },
    { folder: '/srv/deep/a', name: 'a' },
    { folder: '/srv/deep/a/b', name: 'b' },
  ])
  // A name that begins like an allowed folder is not in it.
  expect(wayTo('/srvx', allowed)).toEqual([{ folder: '/srvx', name: '/srvx' }])
})

test('where the whole server is allowed, the way begins at its root', () => {
  expect(wayTo('/etc/x', ['/']).map(({ folder }) => folder)).toEqual(['/', '/etc', '/etc/x'])
})

test('folders at the top are named by their whole path', () => {
  expect(childOf('', '/srv')).toBe('/srv')
  expect(childOf('/srv', 'a')).toBe('/srv/a')
  expect(childOf('/', 'etc')).toBe('/etc')
})

test('a folder suggests its own name', () => {
  expect(suggestedName('/srv/photos/')).toBe('photos')
  expect(suggestedName(' /srv/photos ')).toBe('photos')
  expect(suggestedName('')).toBe('')
})

test('what is missing or cannot be a name is told before it is sent', () => {
  const mount = { name: 'Photos', folder: '/srv/photos', links: 'inside', readOnly: false } as const
  expect(checkMount(mount, true)).toEqual({})
  expect(checkMount({ ...mount, name: ' ', folder: '' }, true)).toEqual({ name: 'emptyName', folder: 'emptyFolder' })
  expect(checkMount({ ...mount, folder: '' }, false)).toEqual({})
  expect(checkMount({ ...mount, name: 'a/b' }, true)).toEqual({ name: 'slashInName' })
  expect(checkMount({ ...mount, name: 'home ' }, true)).toEqual({ name: 'reservedName' })
})
