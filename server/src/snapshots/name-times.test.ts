import { expect, test } from 'bun:test'
import { nameFormat } from './name-times.ts'
import { btrbkName, knownName, snapperTime } from './presets.ts'

const read = (pattern: string, name: string, isLocal = false) => nameFormat(pattern, { isLocal })?.(name)

test('a name tells the time by the fields of its pattern', () => {
  const noon = Date.UTC(2026, 10, 17, 12, 30, 5)
  expect(read('@GMT-%Y.%m.%d-%H.%M.%S', '@GMT-2026.11.17-12.30.05')?.at).toBe(noon)
  expect(read('x%y%m%d-%H%M%S', 'x261117-123005')?.at).toBe(noon)
  expect(read('%F_%T', '2026-11-17_12:30:05')?.at).toBe(noon)
  expect(read('snap-%s', `snap-${noon / 1000}`)?.at).toBe(noon)
  expect(read('%Y-%j', '2026-321')?.at).toBe(Date.UTC(2026, 10, 17))
  expect(read('%Y%m%dT%H%M%S%z', '20261117T143005+0200', true)?.at).toBe(noon)
  expect(read('100%%-%Y', '100%-2026')?.at).toBe(Date.UTC(2026, 0, 1))
})

test('local names count by the clock of the machine', () => {
  const at = new Date(2026, 6, 1, 3, 4).getTime()
  expect(read('auto-%Y-%m-%d_%H-%M', 'auto-2026-07-01_03-04', true)?.at).toBe(at)
})

test('a star stands for any letters, and a pattern without a date tells none', () => {
  expect(read('*-%Y', 'weekly-2026')).toEqual({ at: Date.UTC(2026, 0, 1), any: 'weekly' })
  expect(read('daily.*', 'daily.0')).toEqual({ at: undefined, any: '0' })
  expect(read('*', 'anything')).toEqual({ at: undefined, any: 'anything' })
  expect(read('current', 'current')).toEqual({ at: undefined, any: undefined })
})

test('a name that does not fit its pattern is none', () => {
  expect(read('auto-%Y', 'auto-26')).toBeUndefined()
  expect(read('auto-%Y', 'xauto-2026')).toBeUndefined()
  expect(read('%Y-%m-%d', '2026-02-31')).toBeUndefined()
  expect(read('%Y-%m-%d', '2026-13-01')).toBeUndefined()
  expect(read('%Y %H', '2026 24')).toBeUndefined()
  expect(read('a.b', 'axb')).toBeUndefined()
  expect(nameFormat('%Q', { isLocal: true })).toBeUndefined()
  expect(nameFormat('100%', { isLocal: true })).toBeUndefined()
})

test('names that programs give to snapshots are known', () => {
  const local = new Date(2026, 10, 17, 12, 0).getTime()
  expect(knownName('auto-2026-11-17_12-00')).toEqual({ source: 'truenas', at: local })
  expect(knownName('auto-2026-11-17_12-00-2w')).toEqual({ source: 'truenas', at: local })
  expect(knownName('autosnap_2026-11-17_12:00:00_daily')).toEqual({ source: 'sanoid', at: local })
  expect(knownName('zfs-auto-snap_daily-2026-11-17-1200')?.at).toBe(Date.UTC(2026, 10, 17, 12))
  expect(knownName('before-the-update')).toBeUndefined()
  expect(btrbkName('data.20261117T1200')).toEqual({ subvolume: 'data', at: local })
  expect(btrbkName('data.20261117T120000_2')).toEqual({ subvolume: 'data', at: local })
  expect(btrbkName('data.20261117T120000+0000')?.at).toBe(Date.UTC(2026, 10, 17, 12))
  expect(btrbkName('my.data.20261117')).toEqual({ subvolume: 'my.data', at: new Date(2026, 10, 17).getTime() })
  expect(btrbkName('data.txt')).toBeUndefined()
})

test('the info of snapper tells the time in UTC', () => {
  expect(snapperTime('<snapshot><num>5</num><date>2026-11-17 12:30:05</date></snapshot>')).toBe(
    Date.UTC(2026, 10, 17, 12, 30, 5),
  )
  expect(snapperTime('<snapshot/>')).toBeUndefined()
})
