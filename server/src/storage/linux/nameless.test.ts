import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mountBtrfs } from '../../../test/btrfs.ts'
import { linuxKernel, O } from './kernel.ts'

const kernel = linuxKernel()

function canNameLaterIn(path: string): boolean {
  const folder = kernel.open(-1, path, O.RDONLY | O.DIRECTORY)
  try {
    return kernel.canNameLater(folder)
  } finally {
    kernel.close(folder)
  }
}

test.skipIf(!existsSync('/dev/shm'))('in memory, files may get their names later', () => {
  expect(canNameLaterIn('/dev/shm')).toBe(true)
})

test('not on btrfs, nor where nothing is known', () => {
  expect(canNameLaterIn('/proc')).toBe(false)
  using btrfs = mountBtrfs()
  if (btrfs !== undefined) expect(canNameLaterIn(btrfs.top)).toBe(false)
})
