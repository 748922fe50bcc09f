import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joinNodes } from './node.ts'
import { isRunning, processOf } from './processes.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-nodes-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a node is alive for all others until it leaves', () => {
  const [one, two] = [joinNodes(folder), joinNodes(folder)]
  expect(one.id).not.toBe(two.id)
  expect([one.isAlive(one.id), one.isAlive(two.id), two.isAlive(one.id)]).toEqual([true, true, true])
  one.leave()
  one.leave()
  expect(two.isAlive(one.id)).toBe(false)
  // It cannot know any more, and so it takes nothing from anybody.
  expect(one.isAlive(two.id)).toBe(true)
  expect(two.isAlive('node:1')).toBe(false)
  expect([two.isAlive(null), two.isAlive('dead'), two.isAlive('')]).toEqual([false, false, false])
  two.leave()
})

test('a node stays alive though the file with the locks is removed', () => {
  const place = join(folder, 'removed')
  mkdirSync(place)
  const one = joinNodes(place)
  rmSync(place, { recursive: true })
  one.stay()
  const two = joinNodes(place)
  expect(two.isAlive(one.id)).toBe(true)
  two.stay()
  expect([two.isAlive(one.id), one.isAlive(two.id)]).toEqual([true, true])
  one.leave()
  one.stay()
  expect(two.isAlive(one.id)).toBe(false)
  two.leave()
})

test('without a place for locks a node is known by its process', () => {
  const node = joinNodes(join(folder, 'missing'))
  expect(node.id).toBe(processOf(process.pid))
  expect([node.isAlive(node.id), node.isAlive('4194305:1'), node.isAlive(null)]).toEqual([true, false, false])
})

test('a process that has ended is not running, whether or not its parent knows', async () => {
  // The shell becomes a program that asks for no child of its own.
  const parent = Bun.spawn(['sh', '-c', 'sleep 100 & echo $!; exec sleep 100'], { stdout: 'pipe' })
  const { value } = await parent.stdout.getReader().read()
  const pid = Number(new TextDecoder().decode(value))
  const child = processOf(pid)
  expect(isRunning(child)).toBe(true)
  process.kill(pid, 'SIGKILL')
  for (let tries = 0; tries < 1000 && isRunning(child); tries += 1) await Bun.sleep(1)
  expect(isRunning(child)).toBe(false)
  parent.kill()
  await parent.exited
  expect(isRunning(processOf(process.pid))).toBe(true)
})
