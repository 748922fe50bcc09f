import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderResource, ShareLink } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { fillFolder } from './disk.ts'
import { headOf, openLine } from './line.ts'
import { startProgram } from './process.ts'

const entries = 50_000
const visitors = 20

/** In megabytes. While it is made, one such listing costs about twenty-five; all of them at once far more than this. */
const mostMemory = 250

/** The most that the process ever took: all visitors ask at the same moment, and their answers come one after another. */
function peakMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}

test('the server holds little for 20 visitors that stop reading a large listing, and answers others in full', async () => {
  await using program = await startProgram()
  fillFolder(
    join(program.root, 'wide'),
    Array.from({ length: entries }, (_, index) => `a file with a name of usual length ${index}.txt`),
  )
  const { hash } = await jsonIn<ShareLink>(program.ask('/api/share/wide', { method: 'POST', body: '{}' }))
  const head = headOf('GET', `/api/public/share/${hash}`, { 'accept-encoding': 'identity' })
  const stalled = await Promise.all(
    Array.from({ length: visitors }, async () => {
      const line = await openLine(program.url)
      line.socket.once('data', () => line.socket.pause())
      await line.send(head)
      return line
    }),
  )
  const statuses = await Promise.all(stalled.map(({ status }) => status))
  expect(new Set(statuses)).toEqual(new Set([200]))
  const { items } = await jsonIn<FolderResource>(program.ask('/api/resources/wide'))
  expect(items).toHaveLength(entries)
  expect(peakMegabytes(program.pid)).toBeLessThan(mostMemory)
  for (const line of stalled) line.reset()
}, 180_000)
