import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { mountsIn } from '../linux/mount-table.ts'
import { makeFolder, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { foldsCaseBelow, hasFoldingMount } from './folding.ts'

afterAll(removeFolders)

const mountinfo = `21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
30 21 8:1 / /srv/usb\\040stick rw,relatime shared:2 - exfat /dev/sda1 rw,fmask=0022
31 21 0:50 / /mnt/share rw,relatime - cifs //nas/share rw,vers=3.0
32 31 8:2 / /mnt/share/disk rw,relatime - ext4 /dev/sdb1 rw
`

test.each([
  ['/', true],
  ['/srv', true],
  ['/srv/usb stick', true],
  ['/srv/usb stick/photos', true],
  ['/srv/usb', false],
  ['/home', false],
  ['/mnt/share', true],
  ['/mnt/share/docs', true],
  ['/mnt/share/disk', false],
  ['/mnt/share/disk/deep', false],
])('%s knows no capitals somewhere: %p', (root, folds) => {
  expect(hasFoldingMount(mountsIn(mountinfo), root)).toBe(folds)
})

test('a folder of this machine is asked itself, and the list of mounts can be read', async () => {
  const root = await makeFolder()
  await putFiles(root, { '/Some': 'x', '/sOME': 'y' })
  const isOneName = readFileSync(`${root}/Some`, 'utf8') === 'y'
  expect(foldsCaseBelow(root)()).toBe(isOneName)
})
