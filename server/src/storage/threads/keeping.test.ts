import { afterAll, expect, test } from 'bun:test'
import { readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { Effect, KeepStores } from '../keeping.ts'
import { parsePath } from '../path.ts'
import { makeFolder, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { keepFor } from '../testing/keeping.fixture.ts'
import { threadedDisk } from '../testing/threads.fixture.ts'
import { type ThreadedScopes, threadedScopes } from './scopes.ts'

const made: ThreadedScopes[] = []

afterAll(async () => {
  for (const scopes of made) scopes.close()
  await removeFolders()
})

async function makeMount(stores: () => KeepStores) {
  const root = await makeFolder()
  const told: Effect[] = []
  const scopes = threadedScopes(
    threadedDisk(root, {
      stores,
      tell: (_, effects) => void told.push(...effects),
      pool: { leastReaders: 1 },
    }),
  )
  made.push(scopes)
  return { root, told, scopes, storage: scopes.storageAt('/') }
}

async function* pieces(text: string) {
  yield Buffer.from(text)
}

test('effects are told before the verb answers, and the stores are asked for with each task', async () => {
  let stores = { trash: true, versions: true }
  const { storage, told, root } = await makeMount(() => stores)
  const save = (text: string) =>
    storage.write(parsePath('/p/a'), pieces(text), { precondition: 'any', length: text.length, keep: keepFor('save') })
  await save('1')
  expect(told.splice(0)).toEqual([{ kind: 'parent', at: parsePath('/p') }])
  await save('2')
  const [version] = told.splice(0)
  expect(version?.kind === 'kept' && readFileSync(join(root, version.kept.place), 'utf8')).toBe('1')
  stores = { trash: true, versions: false }
  await save('3')
  expect(told.splice(0)).toEqual([{ kind: 'lost', at: parsePath('/p/a') }])
  const keep = keepFor('remove')
  const keptAt = await storage.keepPlace(parsePath('/p/a'), keep)
  await storage.remove(parsePath('/p/a'), { keptAt, keep })
  expect(told.splice(0)).toMatchObject([{ kind: 'kept', kept: { place: keptAt, at: '/p/a' } }])
  stores = { trash: false, versions: false }
  expect(await storage.keepPlace(parsePath('/p'), keep)).toBeUndefined()
})

test('of a move that merges two mounts each hears what was done in it', async () => {
  const [one, two] = await Promise.all([0, 1].map(() => makeMount(() => ({ trash: true, versions: true }))))
  if (one === undefined || two === undefined) throw new Error('There are two')
  await putFiles(one.root, { '/from/same': 'alike', '/from/old': 'new' })
  await putFiles(two.root, { '/to/same': 'alike', '/to/old': 'old' })
  for (const path of [join(one.root, 'from/same'), join(two.root, 'to/same')])
    utimesSync(path, 1_600_000_000, 1_600_000_000)
  const options = { replace: true, taken: { default: 'replace' }, keep: keepFor('move') } as const
  await one.scopes.transferTo('move', parsePath('/from'), two.scopes, parsePath('/to'), options)
  expect(one.told).toMatchObject([
    { kind: 'kept', kept: { store: 'trash', at: '/from/same' } },
    { kind: 'emptied', at: '/from' },
  ])
  expect(two.told).toMatchObject([
    { kind: 'kept', kept: { store: 'trash', at: '/to/old' } },
    { kind: 'placed', from: '/from/old', at: '/to/old' },
  ])
  const place = (told: readonly Effect[]) =>
    told.flatMap((effect) => (effect.kind === 'kept' ? [effect.kept.place] : []))
  expect(readFileSync(join(one.root, place(one.told)[0] ?? ''), 'utf8')).toBe('alike')
  expect(readFileSync(join(two.root, place(two.told)[0] ?? ''), 'utf8')).toBe('old')
})
