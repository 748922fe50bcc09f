import { expect, test } from 'bun:test'
import { parsePath, rootPath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { piecesOf } from '../storage/testing/subject.fixture.ts'
import type { Actor } from './actor.ts'
import { scopeOf } from './scope.ts'

const rules = [{ regex: false, allow: false, path: '/box/folder 1/secret', regexp: null }]
const actor = { rules, user: { hideDotfiles: false } } as unknown as Actor

test('whoever leaves stops the look for what the rules deny before a copy', async () => {
  const storage = memoryStorage()
  for (let at = 0; at < 50; at += 1)
    await storage.write(parsePath(`/box/folder ${at}/file`), piecesOf('x'), { precondition: 'absent' })
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
  await expect(copying).rejects.toMatchObject({ name: 'AbortError' })
  expect(seen).toBe(3)
  await expect(storage.stat(parsePath('/copy'))).rejects.toMatchObject({ code: 'not-found' })
})

test('whoever leaves stops the look at where very many links lead', async () => {
  const storage = memoryStorage()
  const { folder } = await storage.list(rootPath)
  const entries = Array.from({ length: 20_000 }, (_, at) => ({ ...folder, name: `link ${at}`, isLink: true }))
  const scope = scopeOf(actor, { ...storage, list: async () => ({ folder, entries }) })
  await expect(scope.list(rootPath, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  expect((await scope.list(rootPath)).entries).toHaveLength(entries.length)
})
