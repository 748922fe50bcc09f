import { expect, test } from 'bun:test'
import { testDatabase } from '../../test/database.ts'
import type { NamedMount } from '../config/mounts.ts'
import { matchConfigured } from './configured.ts'
import { allMounts, mountsWithLeftOut } from './store.ts'

const named = (name: string, folder: string): NamedMount => ({ name, folder, links: 'inside', readOnly: false })

async function matched(...starts: (readonly NamedMount[])[]) {
  const db = await testDatabase()
  const warnings: unknown[] = []
  for (const wanted of starts)
    await matchConfigured(db, wanted, { warn: (...told: unknown[]) => void warnings.push(told) })
  return { db, mounts: await allMounts(db), warnings }
}

test('what the configuration names is there, and changes with it', async () => {
  const { mounts } = await matched([named('Photos', '/mnt/photos')], [named('Photos', '/mnt/new')])
  expect(mounts.map(({ id, name, folder, source }) => [id, name, folder, source])).toEqual([
    [1, 'Files', '', 'root'],
    [2, 'Photos', '/mnt/new', 'config'],
  ])
})

test('one that is not named any more is left out, and has its number again when it is named again', async () => {
  const photos = named('Photos', '/mnt/photos')
  const without = await matched([photos], [])
  expect(without.mounts.map(({ id }) => id)).toEqual([1])
  expect((await mountsWithLeftOut(without.db)).map(({ id }) => id)).toEqual([1, 2])
  const again = await matched([photos], [named('Music', '/mnt/music')], [photos])
  expect(again.mounts.map(({ id, name }) => [id, name])).toEqual([
    [1, 'Files'],
    [2, 'Photos'],
  ])
})

test('a name that cannot be is left out with a warning, and the others are there', async () => {
  const { mounts, warnings } = await matched([
    named('home', '/mnt/a'),
    named('Files', '/mnt/b'),
    named('Twice', '/mnt/c'),
    named('twice', '/mnt/d'),
  ])
  expect(mounts.map(({ name }) => name)).toEqual(['Files', 'Twice'])
  expect(warnings).toHaveLength(3)
})

test('an address with a password in it comes into no row and no warning', async () => {
  const { mounts, warnings } = await matched([
    named('Far', 'sftp://bob:pass-word@host.test/files'),
    named('Odd', 's3+https://key:pass-word@a b/c'),
  ])
  expect(mounts.map(({ name }) => name)).toEqual(['Files'])
  expect(warnings).toHaveLength(2)
  expect(JSON.stringify(warnings)).not.toContain('pass-word')
})
