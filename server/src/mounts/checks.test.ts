import { expect, test } from 'bun:test'
import type { PlaceFacts } from '../storage/disk/server-folders.ts'
import { nameOnDisk } from '../storage/disk/server-folders.ts'
import { refusalOf, refusalOfWay } from './checks.ts'

let lastInode = 100
const place = (real: string, facts: Partial<PlaceFacts> = {}): PlaceFacts => {
  lastInode += 1
  return { real, device: 1, inode: lastInode, onDisk: `8:1:${real}`, ...facts }
}
const mount = (folder: string, facts: Partial<PlaceFacts> = {}) => ({
  id: 1,
  name: 'Files',
  folder,
  place: place(folder, facts),
})
const beside = (folder: PlaceFacts, ...mounts: ReturnType<typeof mount>[]) =>
  refusalOf(folder, { mounts, own: [place('/var/lib/filestead/files.db')] })

test('a folder beside the others can be a root folder, also one whose name begins like another', () => {
  expect(beside(place('/srv/photos'), mount('/srv/files'), mount('/srv/photo'))).toBeUndefined()
})

test.each([
  ['/', 'the top folder of the server cannot be a root folder'],
  ['/proc/1', '/proc/1 belongs to the system, and holds no files of people'],
  ['/sys', '/sys belongs to the system, and holds no files of people'],
  ['/srv/files', 'the root folder "Files" is this folder already'],
  ['/srv/files/photos', 'the folder lies in the root folder "Files"'],
  ['/srv', 'the folder holds the root folder "Files"'],
  ['/var/lib', 'the folder holds what the server keeps for itself: /var/lib/filestead/files.db'],
])('%s is refused: %s', (folder, sentence) => {
  expect(beside(place(folder), mount('/srv/files'))).toBe(sentence)
})

test('the same folder by another name is refused, and so is one in it or above it by a bind mount', () => {
  const files = mount('/srv/files')
  const { device, inode } = files.place
  expect(beside(place('/mnt/again', { device, inode }), files)).toContain('is this folder already')
  expect(beside(place('/mnt/bound', { onDisk: '8:1:/srv/files/photos' }), files)).toContain('lies in')
  expect(beside(place('/mnt/bound', { onDisk: '8:1:/srv' }), files)).toContain('holds')
})

test('a mount whose disk is away still keeps its name', () => {
  const away = { id: 2, name: 'Photos', folder: '/mnt/photos' }
  expect(refusalOf(place('/mnt/photos/new'), { mounts: [away], own: [] })).toBe(
    'the folder lies in the root folder "Photos"',
  )
})

test('a symlink in a root folder, which people could replace, leads to no other one', () => {
  const around = { mounts: [mount('/srv/files')], own: [] }
  expect(refusalOfWay({ ...place('/mnt/a'), links: ['/srv/files/way'] }, around)).toContain('"Files"')
  expect(refusalOfWay({ ...place('/mnt/a'), links: ['/srv/way'] }, around)).toBeUndefined()
})

test('the name of a folder on its disk is found through the mount point that is nearest and latest', () => {
  const mounts = [
    { point: '/', device: '8:1', type: 'ext4', top: '/' },
    { point: '/mnt', device: '8:2', type: 'ext4', top: '/' },
    { point: '/mnt/bound', device: '8:1', type: 'ext4', top: '/srv/files' },
  ]
  expect(['/srv', '/', '/mnt', '/mnt/bound/a', '/mnt/boundary'].map((path) => nameOnDisk(path, mounts))).toEqual([
    '8:1:/srv',
    '8:1:',
    '8:2:',
    '8:1:/srv/files/a',
    '8:2:/boundary',
  ])
})
