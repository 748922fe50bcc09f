import { expect, test } from 'bun:test'
import { checkHistory, historyFieldsOf, historyRequestOf } from './history-fields.ts'
import { checkMount, fieldsOf } from './mount-fields.ts'
import { childOf, wayTo } from './server-folder.ts'
import { exampleOf } from './snapshot-names.ts'

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

test('what is missing or cannot be a name is told before it is sent', () => {
  const none = fieldsOf(null)
  const mount = { ...none, name: 'Photos', storage: { ...none.storage, disk: '/srv/photos' } }
  expect(checkMount(mount, true)).toEqual({})
  expect(checkMount(none, true)).toEqual({ name: 'emptyName', storage: { disk: 'emptyFolder' } })
  expect(checkMount({ ...mount, storage: none.storage }, false)).toEqual({})
  expect(checkMount({ ...mount, name: 'a/b' }, true)).toEqual({ name: 'slashInName' })
  expect(checkMount({ ...mount, name: 'home ' }, true)).toEqual({ name: 'reservedName' })
})

test('of what is kept, only what was changed is sent, and numbers only where they are numbers', () => {
  const fields = historyFieldsOf(null)
  expect(historyRequestOf(fields, null)).toEqual({})
  expect(historyRequestOf({ ...fields, trashDays: ' 7 ', versions: false }, null)).toEqual({
    trashDays: 7,
    versions: false,
  })
  expect(historyRequestOf({ ...fields, trash: 'off', trashDays: 'x' }, null)).toEqual({ trash: 'off' })
})

test('a number out of its range is told where it is in view, and not where what it is about is off', () => {
  const fields = { ...historyFieldsOf(null), trashDays: '3651', versionShare: '0', trashShare: '1.5' }
  expect(checkHistory(fields)).toEqual({ trashDays: 'badDays', trashShare: 'badShare', versionShare: 'badShare' })
  expect(checkHistory({ ...fields, trash: 'off', versions: false })).toEqual({})
  expect(checkHistory({ ...historyFieldsOf(null), trashDays: '0', versionDays: '3650' })).toEqual({})
})

test('shares and snapshots are asked for a disk alone', () => {
  const fields = { ...historyFieldsOf(null), trashShare: '0', versionDays: 'x', snapshots: 'own' as const }
  expect(checkHistory(fields, false)).toEqual({ versionDays: 'badDays' })
})

test('snapshots of a pattern need a folder and a pattern that tells the year', () => {
  const own = { ...historyFieldsOf(null), snapshots: 'own' as const }
  expect(checkHistory(own)).toEqual({ snapshotFolder: 'emptySnapshotFolder', snapshotPattern: 'emptyPattern' })
  const folder = { ...own, snapshotFolder: '/snap' }
  expect(checkHistory({ ...folder, snapshotPattern: 'daily' })).toEqual({ snapshotPattern: 'badPattern' })
  expect(checkHistory({ ...folder, snapshotPattern: 'daily-%Y%Q' })).toEqual({ snapshotPattern: 'badPattern' })
  expect(checkHistory({ ...folder, snapshotPattern: 'daily-%F' })).toEqual({})
})

test('a pattern shows what a snapshot of that time is called', () => {
  const at = new Date(2026, 10, 17, 9, 5, 3).getTime()
  expect(exampleOf('auto-%Y-%m-%d_%H-%M', at)).toBe('auto-2026-11-17_09-05')
  expect(exampleOf('%F %T *', at)).toBe('2026-11-17 09:05:03 …')
  expect(exampleOf('%y%j', at)).toBe('26321')
  expect(exampleOf('100%%-%s', at)).toBe(`100%-${Math.floor(at / 1000)}`)
  expect(exampleOf('%%Y', at)).toBeNull()
  expect(exampleOf('x%', at)).toBeNull()
})
