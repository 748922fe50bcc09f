import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { examineClock } from './clock.ts'
import { type Finding, sizeText } from './finding.ts'
import { examineMachine } from './machine.ts'
import { type Disk, examineSpace } from './space.ts'

const disk = (facts: Partial<Disk>) => async () => ({ bavail: 0, bsize: 1000, files: 0, ffree: 0, ...facts })
const vital = { name: 'the database', path: '/', isVital: true }

test.each<[string, Partial<Disk>, Finding['state'][]]>([
  ['plenty', { bavail: 5e6 }, ['good']],
  ['little', { bavail: 5e5 }, ['warning']],
  ['next to nothing', { bavail: 5 }, ['bad']],
  ['room but no more files', { bavail: 5e6, files: 1e6, ffree: 3 }, ['good', 'bad']],
  ['room for few files', { bavail: 5e6, files: 1e6, ffree: 300 }, ['good', 'warning']],
  ['room for many files', { bavail: 5e6, files: 1e6, ffree: 3e5 }, ['good', 'good']],
])('a disk with %s', async (_name, facts, states) => {
  expect((await examineSpace([vital], disk(facts))).map(({ state }) => state)).toEqual(states)
})

test('a full disk of files is a pity, because they can still be read', async () => {
  const found = await examineSpace([{ ...vital, isVital: false }], disk({ bavail: 0 }))
  expect(found.map(({ state }) => state)).toEqual(['warning'])
})

test('folders on one disk are told together', async () => {
  const found = await examineSpace(
    [vital, { name: 'the served folder', path: '/', isVital: false }],
    disk({ bavail: 5e6 }),
  )
  expect(found.map(({ text }) => text)).toEqual(['5.0 GB on the disk of the database and the served folder'])
})

test('a machine that believes it is 1970', () => {
  expect(examineClock('/nowhere', 60_000)).toMatchObject({ state: 'bad', text: expect.stringContaining('1970-01-01') })
})

test('a machine that lacks what others have', async () => {
  const lacking = await examineMachine({
    hasOpenat2: async () => false,
    loadImages: () => Promise.reject(new Error('no library')),
    ffmpeg: null,
  })
  expect(lacking.map(({ about, state }) => [about, state])).toEqual([
    ['Kernel', 'note'],
    ['Pictures', 'warning'],
    ['Films', 'note'],
  ])
})

test('a machine without /proc, and one where few files may be open', async () => {
  const procFolder = mkdtempSync(join(tmpdir(), 'filestead-proc-'))
  const machine = { hasOpenat2: async () => true, loadImages: async () => {}, ffmpeg: '/usr/bin/ffmpeg', procFolder }
  expect((await examineMachine(machine))[0]).toMatchObject({ about: 'Kernel', state: 'bad' })
  mkdirSync(join(procFolder, 'self/fd'), { recursive: true })
  writeFileSync(
    join(procFolder, 'self/limits'),
    'Max open files            256                  4096                 files\n',
  )
  const found = await examineMachine(machine)
  expect(found.map(({ about, state }) => [about, state])).toContainEqual(['Open files', 'warning'])
  rmSync(procFolder, { recursive: true })
})

test('sizes as people say them', () => {
  expect([0, 999, 1500, 150_000, 83_100_000_000].map(sizeText)).toEqual([
    ...['0 bytes', '999 bytes', '1.5 kB', '150 kB', '83.1 GB'],
  ])
})
