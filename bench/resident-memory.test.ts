import { expect, test } from 'bun:test'
import { sumResident } from './resident-memory.ts'

const status = (pid: number, parent: number, kilobytes: number) =>
  `Name:\tx\nPid:\t${pid}\nPPid:\t${parent}\nVmHWM:\t  999999 kB\nVmRSS:\t  ${kilobytes} kB\n`

test('the memory of a process includes its descendants and no other process', () => {
  const statuses = [status(1, 0, 7), status(10, 1, 100), status(11, 10, 20), status(12, 11, 3), status(20, 1, 5000), '']
  expect(sumResident(10, statuses)).toBe(123)
})

test('a process without memory, such as one that has ended, counts as zero', () => {
  expect(sumResident(10, ['Pid:\t10\nPPid:\t1\nState:\tZ (zombie)\n'])).toBe(0)
})
