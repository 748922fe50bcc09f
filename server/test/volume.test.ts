import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FolderResource } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { until } from './process.ts'
import { type Ask, startServer } from './server.ts'
import { tusOf } from './tus.ts'

const stops: (() => unknown)[] = []
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

const run = (...command: string[]): boolean => Bun.spawnSync(command, { stderr: 'ignore' }).success
const mount = (place: string): boolean => run('mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', place)
const unmount = (place: string): boolean => run('umount', place)
/** The kernel refuses in the moments in which the server reads there. */
const leave = (place: string): Promise<void> => until(() => unmount(place))

const trial = mkdtempSync(join(tmpdir(), 'filestead-test-'))
const canMount = mount(trial)
unmount(trial)
rmSync(trial, { recursive: true })

async function started(root: string) {
  const server = await startServer({ root })
  stops.push(
    () => server.stop(),
    () => unmount(root),
  )
  await server.addUser('alice')
  return { server, alice: await server.as('alice') }
}

function makeRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-test-'))
  stops.push(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'served'))
  return join(folder, 'served')
}

const post = (ask: Ask, path: string) => ask(`/api/resources${path}`, { method: 'POST', body: 'bytes' })
const names = async (ask: Ask) => (await jsonIn<FolderResource>(ask('/api/resources/'))).items.map(({ name }) => name)

async function requireRefused({ server, alice }: Awaited<ReturnType<typeof started>>, root: string): Promise<void> {
  const answer = await alice('/api/resources/important.txt', {
    method: 'POST',
    body: 'bytes',
    headers: { accept: 'application/json' },
  })
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { code: 'unavailable', message: 'The volume of the served folder is not mounted any more' },
  ])
  for (const [method, path] of [
    ['POST', '/folder/'],
    ['PUT', '/kept.txt'],
    ['DELETE', '/kept.txt'],
    ['PATCH', '/kept.txt?action=rename&destination=%2Fx'],
    ['PATCH', '/kept.txt?action=copy&destination=%2Fx'],
  ] as const)
    expect([path, await statusOf(alice(`/api/resources${path}`, { method, body: 'x' }))]).toEqual([path, 503])
  expect(await statusOf(tusOf(alice).create('/film.mp4', 10))).toBe(503)
  // An empty listing would look like lost files.
  expect(await statusOf(alice('/api/resources/'))).toBe(503)
  expect(await statusOf(server.ask('/health'))).toBe(503)
  expect(readdirSync(root)).toEqual([])
}

test.if(canMount)('nothing is written to the mount point of a volume that is gone', async () => {
  const root = makeRoot()
  expect(mount(root)).toBe(true)
  const one = await started(root)
  await leave(root)
  await requireRefused(one, root)
  expect(mount(root)).toBe(true)
  expect(await statusOf(post(one.alice, '/important.txt'))).toBe(200)
  expect(await names(one.alice)).toEqual(['important.txt'])
})

test.if(canMount)('a volume may be mounted after the start', async () => {
  const root = makeRoot()
  const one = await started(root)
  expect(await statusOf(post(one.alice, '/early.txt'))).toBe(200)
  rmSync(join(root, 'early.txt'))
  expect(mount(root)).toBe(true)
  expect(await statusOf(post(one.alice, '/kept.txt'))).toBe(200)
  await leave(root)
  await requireRefused(one, root)
})

test.if(canMount)('a missing volume is noticed when the served folder is deep inside it', async () => {
  const above = makeRoot()
  const root = join(above, 'deep/served')
  mkdirSync(root, { recursive: true })
  expect(mount(above)).toBe(true)
  stops.push(() => unmount(above))
  mkdirSync(root, { recursive: true })
  const one = await started(root)
  expect(await statusOf(post(one.alice, '/kept.txt'))).toBe(200)
  await leave(above)
  await requireRefused(one, root)
})

test.if(canMount)('a missing volume is noticed when it was a bind mount of the same disk', async () => {
  const [root, elsewhere] = [makeRoot(), makeRoot()]
  expect(run('mount', '--bind', elsewhere, root)).toBe(true)
  const one = await started(root)
  await leave(root)
  await requireRefused(one, root)
})

test('a new folder in place of the served one is served', async () => {
  const root = makeRoot()
  const { alice } = await started(root)
  expect(await statusOf(post(alice, '/a.txt'))).toBe(200)
  renameSync(root, `${root}-old`)
  mkdirSync(root)
  writeFileSync(join(root, 'new.txt'), '')
  expect(await statusOf(post(alice, '/b.txt'))).toBe(200)
  expect(await names(alice)).toEqual(['b.txt', 'new.txt'])
})

test.if(canMount)('nothing is written to the mount point of a volume below the root that is gone', async () => {
  const root = makeRoot()
  const disk = join(root, 'disk one')
  mkdirSync(disk)
  expect(mount(disk)).toBe(true)
  stops.push(() => unmount(disk))
  const { server, alice } = await started(root)
  await server.addUser('bob', { scope: '/disk one' })
  const bob = await server.as('bob')
  expect(await statusOf(post(alice, '/disk%20one/kept.txt'))).toBe(200)
  await leave(disk)
  for (const path of ['/disk%20one/important.txt', '/disk%20one/new/important.txt', '/disk%20one/new/'])
    expect([path, await statusOf(post(alice, path))]).toEqual([path, 503])
  const copy = '/elsewhere.txt?action=copy&destination=%2Fdisk%2520one%2Fcopy.txt'
  expect(await statusOf(post(alice, '/elsewhere.txt'))).toBe(200)
  expect(await statusOf(alice(`/api/resources${copy}`, { method: 'PATCH' }))).toBe(503)
  expect(await statusOf(tusOf(alice).create('/disk%20one/film.mp4', 10))).toBe(503)
  expect(await statusOf(post(bob, '/important.txt'))).toBe(503)
  expect(readdirSync(disk)).toEqual([])
  expect(mount(disk)).toBe(true)
  expect(await statusOf(post(alice, '/disk%20one/important.txt'))).toBe(200)
  expect(readdirSync(disk)).toEqual(['important.txt'])
})
