import { afterAll, expect, test } from 'bun:test'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolders } from '../testing/disk.fixture.ts'
import { notePrivate, privateFiles } from './private-files.ts'

afterAll(removeFolders)

const command = `
  const [module, database, folder, who] = process.argv.slice(1)
  const { notePrivate } = await import(module)
  const { writeFileSync } = await import('node:fs')
  for (let at = 0; at < 40; at += 1) {
    const file = folder + '/' + who + '-' + at
    writeFileSync(file, '')
    notePrivate(database, file)
  }`

test('what several commands note at the same time stays on the list', async () => {
  const folder = await makeFolder()
  const database = join(folder, 'filestead.db')
  const run = (who: string) =>
    Bun.spawn([process.execPath, '-e', command, join(import.meta.dir, 'private-files.ts'), database, folder, who], {
      stderr: 'pipe',
    })
  const commands = ['one', 'two', 'three'].map(run)
  expect(await Promise.all(commands.map(({ exited }) => exited))).toEqual([0, 0, 0])
  expect(privateFiles(database)).toHaveLength(120)
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
})

test('a draft that a killed command left holds up nobody', async () => {
  const folder = await makeFolder()
  const database = join(folder, 'filestead.db')
  const left = `${database}.private.part`
  writeFileSync(left, 'half')
  utimesSync(left, 1, 1)
  const backup = join(folder, 'backup.tar.gz')
  writeFileSync(backup, '')
  notePrivate(database, backup)
  expect(privateFiles(database)).toEqual([backup])
})
