import { expect, test } from 'bun:test'
import sharp from 'sharp'
import { identityOf } from '../../access/identity.ts'
import { locationIn } from '../../mounts/location.ts'
import { PlainEntry } from '../../storage/entry.ts'
import { parsePath } from '../../storage/path.ts'
import type { Entry, OpenFile } from '../../storage/port.ts'
import { mediaMemory } from './facts.ts'

const pictureOf = async (width: number) =>
  new Uint8Array(
    await sharp({ create: { width, height: 10, channels: 3, background: 'red' } })
      .png()
      .toBuffer(),
  )

/** A file of a server elsewhere, which knows times and sizes and no numbers. */
const entry = new PlainEntry(
  { name: 'a.png', kind: 'file', isLink: false, size: 100, mode: 0o644, seconds: 1, nanoseconds: 0, exact: undefined },
  { version: '"1-100"' },
)

async function openFile(width: number): Promise<OpenFile> {
  const bytes = await pictureOf(width)
  return { entry, content: new Blob([bytes]), head: async () => bytes.subarray(0, 512), close() {} }
}

test('the facts of a file are not told of one in another mount that has the same path, time and size', async () => {
  const memory = mediaMemory()
  const widthIn = async (mount: number, width: number) => {
    const scope = { locate: (path: ReturnType<typeof parsePath>) => locationIn(mount, path) }
    const identify = (each: Entry) => identityOf(scope, parsePath('/a.png'), each)
    return (await memory.of(entry, identify, () => openFile(width)))?.width
  }
  expect([await widthIn(2, 20), await widthIn(3, 30), await widthIn(2, 40)]).toEqual([20, 30, 20])
})
