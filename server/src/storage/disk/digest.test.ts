import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digestOf } from './digest.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-digest-'))
afterAll(() => rmSync(folder, { recursive: true }))

function descriptorOf(name: string, content: Uint8Array): number {
  writeFileSync(join(folder, name), content)
  return openSync(join(folder, name), 'r')
}

const never = new AbortController().signal

test.each(['md5', 'sha1', 'sha256', 'sha512'] as const)(
  '%s of files that are hashed at once are their own',
  async (algorithm) => {
    const contents = [0, 1, 262_144, 700_001, 3_000_000].map((length) =>
      Buffer.alloc(length, `${length} bytes of something `),
    )
    const descriptors = contents.map((content, index) => descriptorOf(`${index}`, content))
    const digests = await Promise.all(descriptors.map((fd) => digestOf(fd, algorithm, never)))
    expect(digests).toEqual(contents.map((content) => createHash(algorithm).update(content).digest('hex')))
    for (const fd of descriptors) closeSync(fd)
  },
)

test('a small file is hashed while large ones are, and what is no longer wanted ends early', async () => {
  const huge = join(folder, 'huge')
  writeFileSync(huge, '')
  // Sparse: to hash all of it would take minutes.
  truncateSync(huge, 2_000_000_000_000)
  const leaving = new AbortController()
  const descriptors = Array.from({ length: 6 }, () => openSync(huge, 'r'))
  const hashing = descriptors.map((fd) => digestOf(fd, 'md5', leaving.signal).catch((error: Error) => error.name))
  const small = descriptorOf('small', Buffer.from('small'))
  expect(await digestOf(small, 'md5', never)).toBe(createHash('md5').update('small').digest('hex'))
  leaving.abort()
  expect(await Promise.all(hashing)).toEqual(descriptors.map(() => 'AbortError'))
  for (const fd of [...descriptors, small]) closeSync(fd)
})
