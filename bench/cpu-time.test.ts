import { expect, test } from 'bun:test'
import { readCpuMs, sumTicks } from './cpu-time.ts'

const stat = (pid: number, name: string, parent: number, ticks: [number, number, number, number]) =>
  `${pid} (${name}) S ${parent} 1 1 0 -1 4194304 9 9 0 0 ${ticks.join(' ')} 20 0 1 0 100`

test('the ticks of a process include its children, also those that have ended', () => {
  const stats = [
    stat(7, 'server (2) x', 1, [5, 3, 1, 1]),
    stat(8, 'worker', 7, [10, 0, 0, 0]),
    stat(9, 'deeper', 8, [100, 0, 0, 0]),
    stat(10, 'other', 1, [1000, 0, 0, 0]),
    '',
  ]
  expect(sumTicks(7, stats)).toBe(120)
})

test('the time of a process that is busy grows', async () => {
  const before = await readCpuMs(process.pid)
  const started = process.cpuUsage()
  while (process.cpuUsage(started).user < 60_000);
  expect(await readCpuMs(process.pid)).toBeGreaterThan(before)
})
