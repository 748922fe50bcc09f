import { afterAll, expect, test } from 'bun:test'
import sharp from 'sharp'
import { identityOf } from '../access/identity.ts'
import { locationIn } from '../mounts/location.ts'
import { parsePath } from '../storage/path.ts'
import type { Entry, OpenFile } from '../storage/port.ts'
import { previewsWith } from './previews.ts'

const previews = previewsWith({
  cacheFolder: undefined,
  cacheSize: 0,
  imageProcessors: 1,
  maxImagePixels: 1e6,
  disableThumbnails: false,
  disablePreviewResize: false,
  still: undefined,
})
afterAll(() => previews.close())

const picture = new Uint8Array(
  await sharp({ create: { width: 40, height: 40, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer(),
)

/** A file that does not lie on a disk. */
function openFile(seconds: number) {
  const entry = {
    name: 'a.jpg',
    kind: 'file',
    size: picture.length,
    seconds,
    nanoseconds: 0,
    id: '1',
    version: `"${seconds}"`,
  } as Entry
  let closed = 0
  const close = () => {
    closed += 1
  }
  const file: OpenFile = { entry, content: new Blob([picture]), head: async () => picture.subarray(0, 512), close }
  return { file, closed: () => closed }
}

const identifyIn = (mount: number) => (entry: Entry) =>
  identityOf({ locate: (path) => locationIn(mount, path) }, parsePath('/a.jpg'), entry)
const wanted = { takesWebp: true, isForShow: true }

const request = (file: OpenFile) => ({
  signal: new AbortController().signal,
  client: 'a',
  reopen: async () => file,
})

test('a preview is refused for another version of the file, and the file is closed again', async () => {
  const { entry, head } = openFile(1).file
  const preview = previews.of({ entry, head: await head() }, identifyIn(1), 'thumb', wanted)
  const [same, other] = [openFile(1), openFile(2)]
  const [refused] = await Promise.allSettled([preview?.make(request(other.file))])
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'changed-meanwhile' } })
  const made = await preview?.make(request(same.file))
  expect((await sharp(made).metadata()).format).toBe('webp')
  expect([same.closed(), other.closed()]).toEqual([1, 1])
})

test('files of two mounts are not mistaken for one another, although their disks number and date them alike', async () => {
  const { entry, head } = openFile(1).file
  const found = { entry, head: await head() }
  const [one, two] = [1, 2].map((mount) => previews.of(found, identifyIn(mount), 'thumb', wanted)?.version)
  expect(one).not.toBe(two)
})
