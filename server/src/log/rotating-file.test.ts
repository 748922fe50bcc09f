import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rotatingFile } from './rotating-file.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'filestead-log-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const line = (text: string) => Buffer.from(`${text.padEnd(9, '.')}\n`)

test('lines are appended, also after a restart', async () => {
  const path = join(folder, 'deep/server.log')
  await rotatingFile(path).write(line('one'))
  await rotatingFile(path).write(line('two'))
  rotatingFile(path).writeSync(line('three'))
  expect(readFileSync(path, 'utf8')).toBe(['one', 'two', 'three'].map(line).join(''))
  expect(statSync(path).mode & 0o007).toBe(0)
})

test('a full file is put aside, and no line is torn or lost', async () => {
  const path = join(folder, 'server.log')
  const log = rotatingFile(path, { bytes: 25, files: 10, days: 14 })
  const lines = ['one', 'two', 'three', 'four', 'five'].map(line)
  for (const text of lines) {
    await log.write(text)
    await Bun.sleep(2) // The name of a file put aside is its time.
  }
  const all = readdirSync(folder).sort((a, b) => (a === 'server.log' ? 1 : b === 'server.log' ? -1 : a < b ? -1 : 1))
  expect(all).toHaveLength(3)
  expect(all.map((name) => readFileSync(join(folder, name), 'utf8')).join('')).toBe(lines.join(''))
})

test('files put aside are removed by number and by age, and those of other programs stay', async () => {
  const path = join(folder, 'server.log')
  const foreign = ['server.log.1', 'server.log.2.gz', 'server.log.old']
  for (const name of foreign) {
    writeFileSync(join(folder, name), 'of logrotate')
    utimesSync(join(folder, name), 0, 0)
  }
  const own = () => readdirSync(folder).filter((name) => !foreign.includes(name))
  const log = rotatingFile(path, { bytes: 10, files: 2, days: 14 })
  for (const text of ['one', 'two', 'three', 'four', 'five']) {
    await log.write(line(text))
    await Bun.sleep(2)
  }
  expect(own()).toHaveLength(3)
  for (const name of own()) if (name !== 'server.log') utimesSync(join(folder, name), 0, 0)
  await log.write(line('six'))
  expect(own()).toHaveLength(2)
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(foreign))
})

test('a file that was moved away is begun anew, and no other descriptor is closed', async () => {
  const path = join(folder, 'server.log')
  const log = rotatingFile(path, { bytes: 15, files: 2, days: 14 })
  await log.write(line('one'))
  rmSync(path)
  await log.write(line('two'))
  const other = openSync(join(folder, 'other'), 'w')
  await log.write(line('three'))
  expect(() => closeSync(other)).not.toThrow()
  expect(readFileSync(path, 'utf8')).toBe(line('three').toString())
})

test('where no new file can be begun, the old one goes on', async () => {
  const path = join(folder, 'gone/server.log')
  const log = rotatingFile(path, { bytes: 15, files: 2, days: 14 })
  await log.write(line('one'))
  rmSync(join(folder, 'gone'), { recursive: true })
  await log.write(line('two'))
  const other = openSync(join(folder, 'other'), 'w')
  await log.write(line('three'))
  expect(() => closeSync(other)).not.toThrow()
})
