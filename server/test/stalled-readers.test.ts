import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderResource, ShareLink } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { fillFolder } from './disk.ts'
import { headOf, type Line, openLine } from './line.ts'
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

test('20 visitors that stop reading a large listing take little memory, and other requests are answered completely', async () => {
  await using program = await startProgram()
  fillFolder(
    join(program.root, 'wide'),
    Array.from({ length: entries }, (_, index) => `a file with a name of usual length ${index}.txt`),
  )
  const { hash } = await jsonIn<ShareLink>(program.ask('/api/share/wide', { method: 'POST', body: '{}' }))
  const head = headOf('GET', `/api/public/share/${hash}`, { 'accept-encoding': 'identity' })
  const stalled: Line[] = []
  // One after the other: read at once, so many listings would wait for a processor as long as for a disk that hangs.
  for (let count = 0; count < visitors; count += 1) {
    const line = await openLine(program.url)
    line.socket.once('data', () => line.socket.pause())
    await line.send(head)
    expect(await line.status).toBe(200)
    stalled.push(line)
  }
  const { items } = await jsonIn<FolderResource>(program.ask('/api/resources/wide'))
  expect(items).toHaveLength(entries)
  expect(peakMegabytes(program.pid)).toBeLessThan(mostMemory)
  for (const line of stalled) line.reset()
}, 180_000)
