import { afterAll, expect, test } from 'bun:test'
import { parsePath, rootPath } from '../storage/path.ts'
import { makeHandle, removeFolders } from '../storage/testing/disk.fixture.ts'
import type { Actor } from './actor.ts'
import { scopeOf } from './scope.ts'

const rules = [{ regex: false, allow: false, path: '/box/folder 1/secret', regexp: null }]
const actor = { rules, user: { hideDotfiles: false } } as unknown as Actor
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
afterAll(removeFolders)

test('a copy looks for denied entries no further once its client has left', async () => {
  const { storage, fill } = await makeHandle()
  await fill(
    '/box',
    Array.from({ length: 50 }, (_, index) => `folder ${index}/file`),
  )
  const leaving = new AbortController()
  let seen = 0
  const scope = scopeOf(actor, {
    ...storage,
    visitBelow: (folder, visit) =>
      storage.visitBelow(folder, (path) => {
        seen += 1
        if (seen === 3) leaving.abort()
        visit(path)
      }),
  })
  const copying = scope.copy(parsePath('/box'), parsePath('/copy'), { replace: false, signal: leaving.signal })
  expect(await failureOf(copying)).toMatchObject({ name: 'AbortError' })
  expect(seen).toBe(3)
  expect(await failureOf(storage.stat(parsePath('/copy')))).toMatchObject({ code: 'not-found' })
})

test('a listing resolves no further links once its client has left', async () => {
  const { storage } = await makeHandle()
  const { folder } = await storage.list(rootPath)
  const entries = Array.from({ length: 20_000 }, (_, at) => folder.with({ name: `link ${at}`, isLink: true }))
  const scope = scopeOf(actor, { ...storage, list: async () => ({ folder, entries }) })
  expect(await failureOf(scope.list(rootPath, AbortSignal.abort()))).toMatchObject({ name: 'AbortError' })
  expect((await scope.list(rootPath)).entries).toHaveLength(entries.length)
})
