import { afterAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { allRights, type RightSet, rightSet } from '@filestead/contract'
import { parseLocation } from '../mounts/location.ts'
import { draftPrefix, parsePath } from '../storage/path.ts'
import { filesIn, makeHandle, removeFolders } from '../storage/testing/disk.fixture.ts'
import { accessTo } from './access.fixture.ts'
import { scopeIn } from './access.ts'
import type { Actor } from './actor.ts'
import type { Scope } from './scope.ts'

afterAll(removeFolders)

const at = parsePath
const id = 'job.0'
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: { code?: unknown }) => error.code,
  )

/** Files, and the scope of an account with all rights but where grants say something else. */
async function world() {
  const disk = await makeHandle()
  await disk.put({ '/from/a.txt': 'a', '/from/sub/b.txt': 'b', '/to/other.txt': 'other' })
  const scopeWith = (grants: Record<string, RightSet>, rules: Actor['rules'] = []): Scope => {
    const all = Object.entries({ '/': allRights, ...grants })
    const access = accessTo(disk.storage, {
      grants: all.map(([folder, rights]) => ({ location: parseLocation(folder), rights })),
    })
    return scopeIn(access, { rules, user: { hideDotfiles: false } } as unknown as Actor)
  }
  return {
    disk,
    scopeWith,
    staged: () => readdirSync(join(disk.root, 'to')).filter((name) => name.startsWith(draftPrefix)),
  }
}

test.each([
  { kind: 'copy', folder: '/from', lacks: 'download', rights: rightSet('see', 'delete') },
  { kind: 'copy', folder: '/to', lacks: 'create', rights: rightSet('see', 'download', 'change', 'delete') },
  { kind: 'copy', folder: '/from/sub', lacks: 'download what is below', rights: rightSet('see') },
  { kind: 'move', folder: '/from', lacks: 'delete', rights: rightSet('see', 'download', 'change') },
  { kind: 'move', folder: '/to', lacks: 'create', rights: rightSet('see', 'download', 'change') },
  { kind: 'move', folder: '/from/sub', lacks: 'delete what is below', rights: rightSet('see', 'download') },
] as const)('a $kind without the right to $lacks is not staged', async ({ kind, folder, rights }) => {
  const { scopeWith, staged } = await world()
  const stage = (scope: Scope, from = '/from') => scope.stage(kind, at(from), at('/to/from'), { id, replace: false })
  expect(await codeOf(stage(scopeWith({ [folder]: rights })))).toBe('forbidden')
  expect(staged()).toEqual([])
  expect(await codeOf(stage(scopeWith({})))).toBe('done')
})

test('what a rule hides below a folder keeps it from being staged, also behind a symlink', async () => {
  const { disk, scopeWith, staged } = await world()
  await symlink('from', join(disk.root, 'link'))
  const hidden = scopeWith({}, [{ regex: false, allow: false, path: '/from/sub/b.txt', regexp: null }] as never)
  for (const from of ['/from', '/link', '/from/sub/b.txt'])
    expect(await codeOf(hidden.stage('copy', at(from), at('/to/x'), { id, replace: false }))).toBe('forbidden')
  expect(staged()).toEqual([])
})

test('what was staged is dropped also when all rights are gone, and shown only with the right to create', async () => {
  const { disk, scopeWith, staged } = await world()
  const closed = scopeWith({ '/to': rightSet('see') })
  await scopeWith({}).stage('copy', at('/from'), at('/to/from'), { id, replace: false })
  expect(staged().length).toBe(2)
  expect(await codeOf(closed.unstage(at('/to/from'), id, { publish: true }))).toBe('forbidden')
  expect(await codeOf(closed.publish(at('/to/from'), id, { replace: false }))).toBe('forbidden')
  expect(await codeOf(closed.copy(at('/from'), at('/to/from'), { replace: false, staged: id }))).toBe('forbidden')
  expect(await disk.names('/to')).toEqual(['other.txt'])
  await scopeWith({ '/to': 0 as RightSet }).unstage(at('/to/from'), id)
  expect(await filesIn(join(disk.root, 'to'))).toEqual({ '/other.txt': 'other' })
})

test('what is staged through a symlink lies where that leads, and is dropped there', async () => {
  const { disk, scopeWith, staged } = await world()
  await symlink('to', join(disk.root, 'way'))
  const scope = scopeWith({})
  await scope.stage('copy', at('/from'), at('/way/from'), { id, replace: false })
  expect(staged().length).toBe(2)
  await scope.unstage(at('/way/from'), id)
  expect(staged()).toEqual([])
})
