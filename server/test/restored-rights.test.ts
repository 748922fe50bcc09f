import { afterAll, expect, test } from 'bun:test'
import type { Job, KeptItem, Right, Timeline, Trash } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { jobsOf } from './jobs.ts'
import { startTwoMounts } from './two-mounts.ts'

const world = await startTwoMounts({ history: { trash: 'on', versions: true } })
const { server, admin, photos, grant } = world
afterAll(() => server.stop())
await server.addUser('bob', { scope: '/home/bob' })
const bob = await server.as('bob')
const jobs = jobsOf(admin)
// Found at the first look, and not looked for again soon.
const snapshot = `autosnap_${new Date().toISOString().slice(0, 10)}_00:00:00_daily`
const old = `.zfs/snapshot/${snapshot}/old`
server.put({ [`${old}/in.txt`]: 's', [`${old}/deep/x.txt`]: 's' })
const reading: Right[] = ['see', 'download']
await grant('user:1', `${photos}:/`, [...reading, 'create', 'change', 'delete', 'share'])
await grant('user:2', '/', reading)
await grant('user:2', `${photos}:/`, reading)

const statusOf = async (path: string, ask = bob) => (await ask(`/api/resources${path}`)).status
const remove = async (path: string) =>
  expect((await admin(`/api/resources${path}`, { method: 'DELETE' })).status).toBe(204)
const keptAt = async (path: string): Promise<KeptItem> => {
  const item = (await jsonIn<Trash>(admin('/api/trash'))).items.find((each) => each.path === path)
  if (item === undefined) throw new Error(`${path} is not in the trash`)
  return item
}
const restore = ({ past }: Pick<KeptItem, 'past'>, from: string, to = from) =>
  jobs.run({ kind: 'restore', items: [{ past, from, to }] })
const refusals = ({ failures }: Job) => failures.map(({ message }) => message)

test('a part of a removed folder with rights of its own is not brought back without them', async () => {
  server.put({ 'top/open.txt': 'o', 'top/secret/in.txt': 's', 'top/secret/deep/x.txt': 's', 'top/plain/p.txt': 'p' })
  await grant('user:2', '/top/secret', [])
  await remove('/Files/top')
  const top = await keptAt('/Files/top')
  for (const part of ['/secret', '/secret/in.txt', '/secret/deep']) {
    const job = await restore(top, `/Files/top${part}`)
    expect(refusals(job)).toEqual(['Restore all of "top", which has rights of its own, or choose another place'])
    expect(await statusOf(`/Files/top${part}`, admin)).toBe(404)
  }
  expect((await restore(top, '/Files/top/plain/p.txt')).state).toBe('done')
  // Whoever may read it may have a copy anywhere.
  expect((await restore(top, '/Files/top/secret/in.txt', '/Files/copy.txt')).state).toBe('done')
  server.put({ 'top/later.txt': 'x' })
  expect(refusals(await restore(top, '/Files/top/secret'))).toHaveLength(1)
  await remove('/Files/top')
  expect((await restore(top, '/Files/top')).state).toBe('done')
  expect([await statusOf('/Files/top/open.txt'), await statusOf('/Files/top/secret/in.txt')]).toEqual([200, 403])
  expect(await statusOf('/Files/top/secret/in.txt', admin)).toBe(200)
})

test('what has rights of its own is not brought back to its folder, which is in another root folder by now', async () => {
  server.put({ 'team/open.txt': 'o', 'team/secret/in.txt': 's', 'team/plain.txt': 'p' })
  await grant('user:2', '/team/secret', [])
  await remove('/Files/team/secret')
  await remove('/Files/team/plain.txt')
  const moved = await jobs.run({ kind: 'move', items: [{ from: '/Files/team', to: '/Photos/team' }] })
  expect(moved.state).toBe('done')
  const [secret, plain] = [await keptAt('/Photos/team/secret'), await keptAt('/Photos/team/plain.txt')]
  expect(refusals(await restore(secret, secret.path))).toEqual([
    '"secret" has rights of its own, which stay in its root folder: choose a place there',
  ])
  expect(await statusOf(secret.path, admin)).toBe(404)
  expect((await restore(plain, plain.path)).state).toBe('done')
  expect((await restore(secret, secret.path, '/Files/secret')).state).toBe('done')
  expect([await statusOf('/Files/secret/in.txt'), await statusOf('/Files/secret/in.txt', admin)]).toEqual([403, 200])
  const back = await jobs.run({ kind: 'move', items: [{ from: '/Files/secret', to: '/Photos/team/secret' }] })
  expect(back.state).toBe('done')
  expect([await statusOf('/Photos/team/secret/in.txt'), await statusOf('/Photos/team/open.txt')]).toEqual([403, 200])
})

test('nothing is brought back into a folder that had rights and was removed later, however far above', async () => {
  server.put({ 'g/f/x.txt': '1', 'g/f/y.txt': 'y' })
  await grant('user:2', '/g', [])
  await admin('/api/resources/Files/g/f/x.txt', { method: 'PUT', body: '2' })
  const { moments } = await jsonIn<Timeline>(admin('/api/timeline/Files/g/f/x.txt'))
  const past = moments.find(({ kind }) => kind === 'version')?.past
  if (past === undefined) throw new Error('There is no version')
  for (const path of ['/Files/g/f/y.txt', '/Files/g/f', '/Files/g']) await remove(path)
  const y = await keptAt('/Files/g/f/y.txt')
  const first = 'Restore the folder "g" first, which has rights of its own'
  expect(refusals(await restore(y, y.path))).toEqual([first])
  const f = await keptAt('/Files/g/f')
  expect(refusals(await restore(f, '/Files/g/f/x.txt'))).toEqual([first])
  expect(refusals(await restore({ past }, '/Files/g/f/x.txt'))).toEqual([first])
  expect(await statusOf('/Files/g', admin)).toBe(404)
  for (const path of ['/Files/g', '/Files/g/f', '/Files/g/f/y.txt'])
    expect((await restore(await keptAt(path), path)).state).toBe('done')
  expect([await statusOf('/Files/g/f/y.txt'), await statusOf('/Files/g/f/y.txt', admin)]).toEqual([403, 200])
})

test('what a snapshot has is not brought back to where its rights are gone', async () => {
  server.put({ 'old/in.txt': 's', 'new/': '' })
  const past = `s.1.${snapshot}`
  const rights = await grant('user:2', '/old', [])
  server.put({ 'old/in.txt': 'changed' })
  expect((await restore({ past }, '/Files/old/deep')).state).toBe('done')
  expect([await statusOf('/Files/old/deep/x.txt'), await statusOf('/Files/old/deep/x.txt', admin)]).toEqual([403, 200])
  const moved = await jobs.run({ kind: 'move', items: [{ from: '/Files/old', to: '/Files/new/old' }] })
  expect(moved.state).toBe('done')
  for (const path of ['/Files/old', '/Files/old/in.txt'])
    expect(refusals(await restore({ past }, path))).toEqual([
      'The rights that it had there went away with a folder: restore it to another place',
    ])
  expect(await statusOf('/Files/old', admin)).toBe(404)
  expect((await restore({ past }, '/Files/old', '/Files/new/copy')).state).toBe('done')
  await world.revoke(rights)
  server.put({ 'old/': '' })
  await grant('user:2', '/old', [])
  expect((await restore({ past }, '/Files/old/in.txt')).state).toBe('done')
  expect([await statusOf('/Files/old/in.txt'), await statusOf('/Files/old/in.txt', admin)]).toEqual([403, 200])
})

test('nothing is brought back into a folder that had rights and was ended for good', async () => {
  server.put({ 'v/w/x.txt': 'x', 'v/w/y.txt': 'y' })
  await grant('user:2', '/v', [])
  await remove('/Files/v/w/x.txt')
  await remove('/Files/v/w')
  expect((await admin('/api/resources/Files/v?forGood=true', { method: 'DELETE' })).status).toBe(204)
  for (const path of ['/Files/v/w', '/Files/v/w/x.txt']) {
    expect(refusals(await restore(await keptAt(path), path))).toEqual([
      'The rights that it had there went away with a folder: restore it to another place',
    ])
    expect(await statusOf(path, admin)).toBe(404)
  }
  server.put({ 'v/': '' })
  await grant('user:2', '/v', [])
  expect((await restore(await keptAt('/Files/v/w'), '/Files/v/w')).state).toBe('done')
  expect([await statusOf('/Files/v/w/y.txt'), await statusOf('/Files/v/w/y.txt', admin)]).toEqual([403, 200])
})

test('nor is that done by undoing', async () => {
  server.put({ 'u/w/x.txt': 'x' })
  await grant('user:2', '/u', [])
  await remove('/Files/u/w/x.txt')
  const [operation] = await jsonIn<{ id: string }[]>(admin('/api/operations'))
  expect((await admin('/api/resources/Files/u?forGood=true', { method: 'DELETE' })).status).toBe(204)
  const undone = await jobs.run({ kind: 'undo', operation: operation?.id })
  expect(refusals(undone)).toEqual([
    'The rights that it had there went away with a folder: restore it to another place',
  ])
  expect(await statusOf('/Files/u', admin)).toBe(404)
})
