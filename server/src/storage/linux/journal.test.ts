import { expect, test } from 'bun:test'
import { type KindOfDisk, mountCutDisk } from '../../../test/cut-disk.ts'
import { linuxKernel, O } from './kernel.ts'
import { deviceNumber, partsOfDevice } from './mount-table.ts'

const kernel = linuxKernel()

function keepsOrderIn(path: string): boolean {
  const folder = kernel.open(-1, path, O.RDONLY | O.DIRECTORY)
  try {
    return kernel.keepsOrder(folder)
  } finally {
    kernel.close(folder)
  }
}

test.each([
  ['ext4', true],
  ['ext4 without a journal', false],
  ['xfs', true],
  ['btrfs', true],
] as const)('an order is kept on %s: %p', (kind: KindOfDisk, keepsOrder: boolean) => {
  using disk = mountCutDisk(kind)
  if (disk !== undefined) expect(keepsOrderIn(disk.top)).toBe(keepsOrder)
})

test('none is relied on where nothing is known', () => {
  expect(keepsOrderIn('/proc')).toBe(false)
})

test.each([
  [8, 1],
  [253, 300],
  [259, 65_535],
  [0, 1_048_575],
])('the number of a device is taken apart as it was made: %i, %i', (major, minor) => {
  expect(partsOfDevice(deviceNumber(major, minor))).toEqual([major, minor])
})
