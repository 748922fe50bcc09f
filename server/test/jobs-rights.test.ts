import { afterAll, afterEach, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Grant, Job, User } from '@filestead/contract'
import { Failure } from '../src/failure.ts'
import { jsonIn } from './answers.ts'
import { draftsBelow, treeOf } from './disk.ts'
import { copying, heldStorage, jobsOf, moving } from './jobs.ts'
import { until } from './process.ts'
import { password, startServer } from './server.ts'

const held = heldStorage()
const server = await startServer({ wrapStorage: held.wrapStorage })
afterAll(() => server.stop())
afterEach(() => held.release())
await server.addUser('root', { isAdmin: true })
const admin = await server.as('root')
const rootJobs = jobsOf(admin)

const accounts = async () => (await jsonIn<User[]>(admin('/api/users'))) as User[]
const accountOf = async (name: string) => (await accounts()).find(({ username }) => username === name) as User

async function newcomer(name: string, wishes: Parameters<typeof server.addUser>[1] = {}) {
  await server.addUser(name, wishes)
  return jobsOf(await server.as(name))
}

async function change(name: string, changes: Partial<User>): Promise<void> {
  const user = await accountOf(name)
  const body = JSON.stringify({
    what: 'user',
    which: Object.keys(changes),
    current_password: password,
    data: { ...user, ...changes },
  })
  expect((await admin(`/api/users/${user.id}`, { method: 'PUT', body })).status).toBe(200)
}

async function begun(jobs: ReturnType<typeof jobsOf>, request: object): Promise<Job> {
  held.hold()
  const before = held.begun
  const job = await jobs.begin(request)
  await until(() => held.begun > before)
  return job
}

test('a permission that is taken away ends a copy as forbidden, and nothing is left or lost', async () => {
  const jobs = await newcomer('dan')
  server.put({ 'dan/a.txt': 'a', 'dan/b/c.txt': 'c' })
  const { id } = await begun(jobs, copying('/dan', '/dan-copied'))
  const { perm } = await accountOf('dan')
  await change('dan', { perm: { ...perm, create: false } })
  expect(await jobs.until(id, 'failed')).toMatchObject({ problem: { code: 'forbidden' }, finished: 0 })
  held.release()
  expect(draftsBelow(server.root)).toEqual([])
  expect(treeOf(server.root)).toMatchObject({ 'dan/a.txt': 'a', 'dan/b/c.txt': 'c' })
  expect(existsSync(join(server.root, 'dan-copied'))).toBe(false)
})

test('a rule that hides the source ends a move as forbidden, and the source stays whole', async () => {
  const jobs = await newcomer('fay')
  server.put({ 'fay/a.txt': 'a' })
  const { id } = await begun(jobs, moving('/fay', '/fay-moved'))
  await change('fay', { rules: [{ regex: false, allow: false, path: '/fay', regexp: { raw: '' } }] })
  expect((await jobs.until(id, 'failed')).problem?.code).toBe('forbidden')
  held.release()
  expect(server.file('fay/a.txt')).toBe('a')
  expect(existsSync(join(server.root, 'fay-moved'))).toBe(false)
})

test('a grant that is taken away ends a removal, and what is left stays', async () => {
  const jobs = await newcomer('gus', { scope: '/gus' })
  server.put({ 'gus/': '', 'shared/one.txt': '1', 'shared/two.txt': '2' })
  const rights = ['see', 'download', 'create', 'change', 'delete']
  const { id: userId } = await accountOf('gus')
  const body = JSON.stringify({ subject: `user:${userId}`, mount: 1, folder: '/shared', rights })
  const grant = await jsonIn<Grant>(admin('/api/grants', { method: 'POST', body }))
  const job = await begun(jobs, { kind: 'delete', items: ['/Files/shared/one.txt', '/Files/shared/two.txt'] })
  expect((await admin(`/api/grants/${grant.id}`, { method: 'DELETE' })).status).toBe(204)
  const failed = await jobs.until(job.id, 'failed')
  expect(failed.problem?.code).toBe('forbidden')
  held.release()
  expect(treeOf(server.root)).toMatchObject({ 'shared/one.txt': '1', 'shared/two.txt': '2' })
  // What lies out of sight now is told by its name alone.
  expect(JSON.stringify(failed)).not.toContain('/shared')
})

test('the jobs of an account end with it', async () => {
  const jobs = await newcomer('hal')
  server.put({ 'hal/a.txt': 'a' })
  const { id } = await begun(jobs, moving('/hal', '/hal-moved'))
  const { id: userId } = await accountOf('hal')
  expect(
    (await admin(`/api/users/${userId}`, { method: 'DELETE', body: JSON.stringify({ current_password: password }) }))
      .status,
  ).toBe(200)
  await rootJobs.until(id, 'failed')
  held.release()
  expect(server.file('hal/a.txt')).toBe('a')
  await server.app.tidy()
  expect((await admin(`/api/jobs/${id}`)).status).toBe(404)
})

test.each(['retried', 'answered'])(
  'a rule that hides an entry ends the work on it also where it is %s',
  async (how) => {
    const jobs = await newcomer(how)
    server.put({ [`${how}/a.txt`]: 'a', [`${how}-there/b.txt`]: 'b' })
    held.release()
    const isRetry = how === 'retried'
    held.failWith(isRetry ? new Failure('not-found', 'gone') : undefined)
    const request = isRetry ? { kind: 'delete', items: [`/${how}`] } : copying(`/${how}`, `/${how}-there`)
    const { id, state } = await jobs.run(request)
    expect(state).toBe(isRetry ? 'failed' : 'asking')
    held.failWith(undefined)
    held.hold()
    const before = held.begun
    await jobs.change(id, isRetry ? { action: 'retry' } : { forAll: 'replace' })
    await until(() => held.begun > before)
    await change(how, { rules: [{ regex: false, allow: false, path: `/${how}`, regexp: { raw: '' } }] })
    expect((await jobs.until(id, 'failed')).problem?.code).toBe('forbidden')
    expect([server.file(`${how}/a.txt`), existsSync(join(server.root, `${how}-there/a.txt`))]).toEqual(['a', false])
  },
)

test('without the permission a job is refused as the request that does the same', async () => {
  const jobs = await newcomer('ida', { lacks: ['create', 'rename', 'delete'] })
  server.put({ 'ida.txt': 'i' })
  const statuses = []
  for (const request of [
    copying('/ida.txt', '/new.txt'),
    moving('/ida.txt', '/new.txt'),
    { kind: 'delete', items: ['/ida.txt'] },
  ])
    statuses.push((await jobs.start(request)).status)
  expect(statuses).toEqual([403, 403, 403])
  expect(await jobs.list()).toEqual([])
  expect(server.file('ida.txt')).toBe('i')
})

test('of several entries one that is refused keeps no other from its turn', async () => {
  const deny = { regex: false, allow: false, path: '/closed', regexp: { raw: '' } }
  const jobs = await newcomer('jan', { rules: [deny] })
  server.put({ 'closed/x.txt': 'x', 'jan1.txt': '1', 'jan2.txt': '2' })
  const job = await jobs.run({ kind: 'delete', items: ['/jan1.txt', '/closed/x.txt', '/', '/jan2.txt'] })
  expect(job).toMatchObject({ state: 'failed', finished: 2 })
  expect(job.failures.map(({ path, code }) => [path, code])).toEqual([
    ['/closed/x.txt', 'forbidden'],
    ['/', 'forbidden'],
  ])
  expect(treeOf(server.root)).not.toHaveProperty(['jan2.txt'])
  expect(server.file('closed/x.txt')).toBe('x')
})

test('the work of a guest is over when its request is, and nobody finds a job of it', async () => {
  server.put({ 'open/a.txt': 'a', 'open/to/': '' })
  const rights = ['see', 'download', 'create', 'change', 'delete']
  const body = JSON.stringify({ subject: 'guest', mount: 1, folder: '/open', rights })
  const grant = await jsonIn<Grant>(admin('/api/grants', { method: 'POST', body }))
  const request = copying('/open/a.txt', '/open/to/a.txt')
  const sent = { method: 'POST', body: JSON.stringify(request), headers: { prefer: 'wait=0' } }
  const answer = await server.ask('/api/jobs', sent)
  expect([answer.status, ((await answer.json()) as Job).state]).toEqual([200, 'done'])
  expect(server.file('open/to/a.txt')).toBe('a')
  expect((await server.ask('/api/jobs')).status).toBe(401)
  expect((await rootJobs.list('?all=true')).filter(({ owner }) => owner === undefined)).toEqual([])
  held.hold()
  const before = held.begun
  const leaving = new AbortController()
  const cancelled = { ...sent, body: JSON.stringify(moving('/open/a.txt', '/open/b.txt')) }
  const asked = server.ask('/api/jobs', { ...cancelled, signal: leaving.signal }).catch(() => 'left')
  await until(() => held.begun > before)
  leaving.abort()
  expect(await asked).toBe('left')
  held.release()
  await until(() => draftsBelow(server.root).length === 0)
  expect(server.file('open/a.txt')).toBe('a')
  await admin(`/api/grants/${grant.id}`, { method: 'DELETE' })
})
