import { afterAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hiddenBeside, hiddenIn, parsePath, rootPath } from '../path.ts'
import type { FilledEntry } from '../port.ts'
import { makeDisk, makeHandle, removeFolders } from '../testing/disk.fixture.ts'

afterAll(removeFolders)

const file = (path: string, text: string, more: Partial<FilledEntry> = {}): FilledEntry => ({
  path: parsePath(path),
  kind: 'file',
  bytes: new Uint8Array(Buffer.from(text)),
  ...more,
})
const folder = (path: string, more: Partial<FilledEntry> = {}): FilledEntry => ({
  path: parsePath(path),
  kind: 'folder',
  ...more,
})

async function hidden(id: string) {
  const { storage, root } = await makeHandle(makeDisk())
  const place = hiddenBeside(parsePath('/out'), id)
  await storage.createFolder(place)
  return { storage, root, within: storage.beneath(place), at: join(root, place) }
}

test('a hidden folder is filled with folders and files, and shows when it is published', async () => {
  const { storage, root, within, at } = await hidden('job.0')
  await within.fill(rootPath, [folder('/a/b'), file('/a/b/c', 'one', { modified: 1_000_000 }), file('/x', 'two')])
  await within.fill(rootPath, [file('/x', 'again', { isExecutable: true }), folder('/a/b', { modified: 2_000_000 })])
  expect((await storage.list(rootPath)).entries).toEqual([])
  expect([readFileSync(join(at, 'a/b/c'), 'utf8'), readFileSync(join(at, 'x'), 'utf8')]).toEqual(['one', 'again'])
  expect([statSync(join(at, 'a/b/c')).mtimeMs, statSync(join(at, 'a/b')).mtimeMs]).toEqual([1e9, 2e9])
  expect(statSync(join(at, 'x')).mode & 0o100).toBe(0o100)
  await within.secure(rootPath)
  await storage.publish(parsePath('/out'), 'job.0', { replace: true })
  await storage.unstage(parsePath('/out'), 'job.0')
  expect(readdirSync(root)).toEqual(['out'])
  expect(readFileSync(join(root, 'out/a/b/c'), 'utf8')).toBe('one')
})

test('a file and a folder never replace each other in a hidden folder', async () => {
  const { within } = await hidden('job.0')
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'fine',
      (error) => error.code,
    )
  await within.fill(rootPath, [file('/file', 'x'), folder('/folder')])
  expect(await codeOf(within.fill(rootPath, [file('/file/below', 'y')]))).toBe('already-exists')
  expect(await codeOf(within.fill(rootPath, [folder('/file')]))).toBe('already-exists')
  expect(await codeOf(within.fill(rootPath, [file('/folder', 'y')]))).toBe('already-exists')
})

test('a symlink that another program puts into a hidden folder is not followed', async () => {
  const { within, at, root } = await hidden('job.0')
  symlinkSync(root, join(at, 'link'))
  await within.fill(rootPath, [file('/link/escaped', 'x')]).catch(() => {})
  expect(readdirSync(root)).not.toContain('escaped')
})

test('a hidden folder in its target is merged with it, also with a root', async () => {
  const { storage, root } = await makeHandle(makeDisk())
  writeFileSync(join(root, 'there'), 'old')
  const place = hiddenIn(rootPath, 'job.0')
  await storage.createFolder(place)
  await storage.beneath(place).fill(rootPath, [file('/there', 'new'), file('/sub/free', 'new')])
  const refused = await storage
    .publish(rootPath, 'job.0', { replace: true, inside: true, taken: { default: 'refuse' } })
    .then(
      () => 'fine',
      (error) => error.code,
    )
  expect([refused, readdirSync(root).includes('sub')]).toEqual(['already-exists', false])
  const taken = { default: 'refuse', by: { there: 'keep-both' } } as const
  await storage.publish(rootPath, 'job.0', { replace: true, inside: true, taken })
  await storage.publish(rootPath, 'job.0', { replace: true, inside: true, taken })
  await storage.unstage(rootPath, 'job.0', { inside: true })
  expect(readdirSync(root).sort()).toEqual(['sub', 'there', 'there(1)'])
  expect(readFileSync(join(root, 'there'), 'utf8')).toBe('old')
})
