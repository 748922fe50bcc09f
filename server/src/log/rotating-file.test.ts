import { afterEach, beforeEach, expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rotatingFile } from './rotating-file.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'filestead-log-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const line = (text: string) => `${text.padEnd(9, '.')}\n`

test('lines are appended, also after a restart', () => {
  const path = join(folder, 'deep/server.log')
  rotatingFile(path).write(line('one'))
  rotatingFile(path).write(line('two'))
  expect(readFileSync(path, 'utf8')).toBe(line('one') + line('two'))
  expect(statSync(path).mode & 0o007).toBe(0)
})

test('a full file is put aside, and no line is torn or lost', async () => {
  const path = join(folder, 'server.log')
  const log = rotatingFile(path, { bytes: 25, files: 10, days: 14 })
  const lines = ['one', 'two', 'three', 'four', 'five'].map(line)
  for (const text of lines) {
    log.write(text)
    await Bun.sleep(2) // The name of a file put aside is its time.
  }
  const all = readdirSync(folder).sort((a, b) => (a === 'server.log' ? 1 : b === 'server.log' ? -1 : a < b ? -1 : 1))
  expect(all).toHaveLength(3)
  expect(all.map((name) => readFileSync(join(folder, name), 'utf8')).join('')).toBe(lines.join(''))
})

test('only so many are kept, and none for ever', async () => {
  const path = join(folder, 'server.log')
  const log = rotatingFile(path, { bytes: 10, files: 2, days: 14 })
  for (const text of ['one', 'two', 'three', 'four', 'five']) {
    log.write(line(text))
    await Bun.sleep(2)
  }
  expect(readdirSync(folder)).toHaveLength(3)
  for (const name of readdirSync(folder)) if (name !== 'server.log') utimesSync(join(folder, name), 0, 0)
  log.write(line('six'))
  expect(readdirSync(folder)).toHaveLength(2)
})

test('a file that somebody took away is begun anew, and nobody else loses a descriptor', () => {
  const path = join(folder, 'server.log')
  const log = rotatingFile(path, { bytes: 15, files: 2, days: 14 })
  log.write(line('one'))
  rmSync(path)
  log.write(line('two'))
  const other = openSync(join(folder, 'other'), 'w')
  log.write(line('three'))
  expect(() => closeSync(other)).not.toThrow()
  expect(readFileSync(path, 'utf8')).toBe(line('three'))
})

test('where no new file can be begun, the old one goes on', () => {
  const path = join(folder, 'gone/server.log')
  const log = rotatingFile(path, { bytes: 15, files: 2, days: 14 })
  log.write(line('one'))
  rmSync(join(folder, 'gone'), { recursive: true })
  log.write(line('two'))
  const other = openSync(join(folder, 'other'), 'w')
  log.write(line('three'))
  expect(() => closeSync(other)).not.toThrow()
})
