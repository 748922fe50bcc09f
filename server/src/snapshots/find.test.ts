import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MountHistory } from '@filestead/contract'
import { usualHistory } from '../mounts/history.ts'
import { serverFolders } from '../storage/disk/server-folders.ts'
import { findSnapshots } from './find.ts'

let top: string
let root: string
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'filestead-snapshots-')))
  root = join(top, 'tank/data/files')
  mkdirSync(root, { recursive: true })
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

const make = (...folders: string[]) => {
  for (const folder of folders) mkdirSync(join(top, folder), { recursive: true })
}

/** The machine that runs the test may have some of its own further up. */
async function find(history: Partial<MountHistory> = {}, mountable: string[] = []) {
  const options = { history: { ...usualHistory, ...history }, mountable }
  const { snapshots, problem } = await findSnapshots(serverFolders(), root, options)
  const own = snapshots.filter(({ folder }) => folder.startsWith(top))
  return {
    problem,
    found: own.map(({ name, source, at, folder, inside }) => ({
      name,
      source,
      at,
      at_: folder.slice(top.length) + inside,
    })),
  }
}

test('snapshots of ZFS are found in a folder above, by their names or by their time', async () => {
  const snapshot = 'tank/data/.zfs/snapshot'
  make(`${snapshot}/auto-2020-11-17_12-00`, `${snapshot}/autosnap_2020-11-16_12:00:00_daily`, `${snapshot}/by-hand`)
  const { found } = await find()
  expect(found.map(({ name, source }) => [name, source])).toEqual([
    ['by-hand', 'zfs'],
    ['auto-2020-11-17_12-00', 'truenas'],
    ['autosnap_2020-11-16_12:00:00_daily', 'sanoid'],
  ])
  expect(found[1]?.at).toBe(new Date(2020, 10, 17, 12).getTime())
  expect(found[1]?.at_).toBe('/tank/data/.zfs/snapshot/auto-2020-11-17_12-00/files')
})

test('snapshots of snapper have the time of their info, and of their folder without one', async () => {
  make('tank/data/files/.snapshots/1/snapshot', 'tank/data/files/.snapshots/2/snapshot')
  writeFileSync(join(root, '.snapshots/1/info.xml'), '<snapshot><date>2026-11-01 01:02:03</date></snapshot>')
  utimesSync(join(root, '.snapshots/2'), 1_000_000, 1_000_000)
  expect((await find()).found).toEqual([
    {
      ...{ name: '1', source: 'snapper', at: Date.UTC(2026, 10, 1, 1, 2, 3) },
      at_: '/tank/data/files/.snapshots/1/snapshot',
    },
    { name: '2', source: 'snapper', at: 1_000_000_000, at_: '/tank/data/files/.snapshots/2/snapshot' },
  ])
})

test('snapshots of btrbk beside several subvolumes are taken by the name of the own one', async () => {
  const [shared, alone] = ['tank/_btrbk_snap', 'tank/data/btrbk_snapshots']
  make(`${shared}/data.20261117T1200`, `${shared}/other.20261117T1200`, `${alone}/volume.20261116`)
  const { found } = await find()
  // The folder of the file system is the top one here, so in a folder with several names none is meant.
  expect(found.map(({ name, source }) => [name, source])).toEqual([['volume.20261116', 'btrbk']])
  rmSync(join(top, shared, 'other.20261117T1200'), { recursive: true })
  expect((await find()).found.map(({ name }) => name)).toEqual(['data.20261117T1200', 'volume.20261116'])
})

test('snapshots for Samba lie in the root or in its folder for them', async () => {
  make('tank/data/files/@GMT-2026.11.17-12.00.00', 'tank/data/files/.snapshots/@GMT-2026.11.16-12.00.00')
  make('tank/data/files/auto-2026-11-17_12-00')
  const { found } = await find()
  expect(found.map(({ at_ }) => at_)).toEqual([
    '/tank/data/files/@GMT-2026.11.17-12.00.00',
    '/tank/data/files/.snapshots/@GMT-2026.11.16-12.00.00',
  ])
})

test('snapshots of rsnapshot hold the full path of the root, below the name of a machine', async () => {
  const at = (name: string) => join(top, 'tank/.snapshots', name)
  for (const name of ['hourly.0', 'daily.3']) mkdirSync(join(at(name), 'localhost', root), { recursive: true })
  utimesSync(at('hourly.0'), 2_000_000, 2_000_000)
  utimesSync(at('daily.3'), 1_000_000, 1_000_000)
  const { found } = await find()
  expect(found.map(({ name, at: time }) => [name, time])).toEqual([
    ['hourly.0', 2_000_000_000],
    ['daily.3', 1_000_000_000],
  ])
  expect(found[0]?.at_).toBe(`/tank/.snapshots/hourly.0/localhost${root}`)
})

test('a backup of rsnapshot that does not hold the root is not shown', async () => {
  make('tank/data/files/.snapshots/daily.0/localhost/etc')
  expect((await find()).found).toEqual([])
})

test('what another account put there, and symlinks, are not believed', async () => {
  make('elsewhere/@GMT-2026.11.17-12.00.00', 'tank/.snapshots/@GMT-2026.11.16-12.00.00')
  symlinkSync(join(top, 'elsewhere'), join(root, '.snapshots'))
  expect((await find()).found.map(({ name }) => name)).toEqual(['@GMT-2026.11.16-12.00.00'])
  if (process.geteuid?.() !== 0) return
  chownSync(join(top, 'tank/.snapshots'), 12_345, 12_345)
  expect((await find()).found).toEqual([])
})

const own = { snapshots: 'own', snapshotPattern: 'state-%Y%m%d', snapshotIsLocal: false } as const

test('an own pattern finds them in a folder of the root, or where mounts may lie', async () => {
  make('tank/data/files/old/state-20261117/inner/files', 'tank/data/files/old/notes', 'backup/state-20261116')
  const inRoot = await find({ ...own, snapshotFolder: 'old', snapshotInside: 'inner/files' })
  expect(inRoot.found).toEqual([
    {
      ...{ name: 'state-20261117', source: 'own', at: Date.UTC(2026, 10, 17) },
      at_: '/tank/data/files/old/state-20261117/inner/files',
    },
  ])
  const outside = { ...own, snapshotFolder: join(top, 'backup') }
  expect((await find(outside, [top])).found.map(({ name }) => name)).toEqual(['state-20261116'])
  const refused = await find(outside)
  expect(refused.found).toEqual([])
  expect(refused.problem).toContain('--mountable')
})

test('an own pattern cannot lead out of its folder', async () => {
  make('tank/data/files/old/state-20261117', 'secret')
  symlinkSync(top, join(root, 'out'))
  expect((await find({ ...own, snapshotFolder: 'out', snapshotPattern: '*' })).problem).toContain('--mountable')
  expect((await find({ ...own, snapshotFolder: '../../..', snapshotPattern: '*' })).problem).toContain('--mountable')
  make('tank/.snapshots/1/snapshot/etc')
  const machine = { ...own, snapshotFolder: '../../.snapshots', snapshotPattern: '*', snapshotInside: 'snapshot/etc' }
  expect((await find(machine)).problem).toContain('--mountable')
  const up = await find({ ...own, snapshotFolder: 'old', snapshotInside: '../../../../secret' })
  expect(up.found.map(({ at_ }) => at_)).toEqual(['/tank/data/files/old/state-20261117/secret'])
})

test('an own pattern that cannot be used is told with a reason', async () => {
  expect((await find({ ...own, snapshotFolder: 'missing' })).problem).toContain('missing')
  expect((await find({ ...own, snapshotPattern: '%Q' })).problem).toContain('%Q')
  expect(await find({ ...own, snapshots: 'off' })).toEqual({ found: [], problem: undefined })
})
