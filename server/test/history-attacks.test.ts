import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type KeptItem, type Operation, type Rule, rightNames, type Timeline, type Trash } from '@filestead/contract'
import { touchAccess } from '../src/database/counters.ts'
import { transaction } from '../src/database/port.ts'
import { storeNames } from '../src/storage/store-names.ts'
import { changeUser } from '../src/users/users.ts'
import { jsonIn } from './answers.ts'
import { move } from './attacked.ts'
import { jobsOf } from './jobs.ts'
import { setGrants } from './past-world.ts'
import { type Ask, startServer } from './server.ts'

const server = await startServer({ history: { trash: 'on', versions: true } })
afterAll(() => server.stop())
await server.addUser('ann')
await server.addUser('bob')
await server.addUser('cat')
const [asAnn, asBob, asCat] = [await server.as('ann'), await server.as('bob'), await server.as('cat')]
const [ann, bob, cat] = [jobsOf(asAnn), jobsOf(asBob), jobsOf(asCat)]
const isThere = (path: string) => existsSync(join(server.root, path))
const itemAt = async (path: string, ask: Ask): Promise<KeptItem> => {
  const { items } = await jsonIn<Trash>(ask('/api/trash'))
  const found = items.find((item) => item.path === path)
  if (found === undefined) throw new Error(`${path} is not in the trash`)
  return found
}
const isListed = async (path: string, ask: Ask) =>
  (await jsonIn<Trash>(ask('/api/trash'))).items.some((item) => item.path === path)
const remove = async (path: string, ask: Ask): Promise<void> => {
  expect((await ask(`/api/resources${path}`, { method: 'DELETE' })).status).toBe(204)
}
const restoring = ({ past, path }: KeptItem, to = path) => ({ kind: 'restore', items: [{ past, from: path, to }] })
const deny = (path: string): Rule => ({ allow: false, path, regex: false, regexp: { raw: '' } })
const setRules = async (name: string, ...rules: Rule[]) =>
  changeUser(server.app.deps, await server.app.deps.settings(), await idOf(name), { rules })
const idOf = async (name: string) =>
  (await server.app.deps.db.selectFrom('user').select('id').where('username', '=', name).executeTakeFirstOrThrow()).id

test('a folder that holds what is denied does not get another name by a restore', async () => {
  await setRules('bob', deny('/box/secret'))
  server.put({ 'box/open.txt': 'o', 'box/secret/s.txt': 's' })
  await remove('/box', asAnn)
  server.put({ 'box/other.txt': 'x' })
  const item = await itemAt('/box', asBob)
  const job = await bob.run(restoring(item))
  expect(job.state).toBe('asking')
  await bob.change(job.id, { forAll: 'keep-both' })
  await bob.until(job.id, 'failed', 'done')
  expect(readdirSync(server.root).filter((name) => name.startsWith('box'))).toEqual(['box'])
  const elsewhere = await bob.run(restoring(item, '/elsewhere'))
  expect([elsewhere.state, isThere('elsewhere')]).toEqual(['failed', false])
  await ann.run({ kind: 'purge' })
})

test('what was denied after the removal does not get another name either', async () => {
  server.put({ 'late/open.txt': 'o', 'late/secret/s.txt': 's' })
  await remove('/late', asCat)
  const item = await itemAt('/late', asCat)
  await setRules('cat', deny('/late/secret'))
  const job = await cat.run(restoring(item, '/elsewhere'))
  expect([job.state, isThere('elsewhere')]).toEqual(['failed', false])
  expect(await cat.run(restoring(item))).toMatchObject({ state: 'done' })
  expect((await asCat('/api/raw/late/secret/s.txt')).status).toBe(403)
  await setRules('cat')
})

test('a removed folder gets another place only by an account that may read all of it', async () => {
  const bobId = await idOf('bob')
  server.put({ 'crew/inbox/secret.txt': 'CANARY', 'crew/plan.txt': 'plan' })
  await setGrants(server, [[`user:${bobId}`, '/crew/inbox', 'see', 'create', 'change', 'delete']])
  await remove('/crew', asAnn)
  const item = await itemAt('/crew', asBob)
  expect((await bob.run(restoring(item, '/elsewhere'))).state).toBe('failed')
  expect(isThere('elsewhere')).toBe(false)
  expect((await bob.run(restoring(item))).state).toBe('done')
  expect((await asBob('/api/raw/crew/inbox/secret.txt')).status).toBe(403)
  await setGrants(server, [])
})

test('what was removed from a folder stays closed to whom it was closed when the folder is ended for good', async () => {
  const bobId = await idOf('bob')
  server.put({ 'vault/secret.txt': 'CANARY' })
  await setGrants(server, [[`user:${bobId}`, '/vault', 'see', 'create', 'change', 'delete']])
  await remove('/vault/secret.txt', asBob)
  const item = await itemAt('/vault/secret.txt', asBob)
  const read = async () => (await asBob(`/api/raw/vault/secret.txt?past=${item.past}`)).status
  expect(await read()).toBe(403)
  expect((await asBob('/api/resources/vault?forGood=true', { method: 'DELETE' })).status).toBe(204)
  expect(await read()).toBeOneOf([403, 404])
  expect((await bob.run(restoring(item))).state).toBe('failed')
  expect(isThere('vault')).toBe(false)
  expect((await ann.run(restoring(item))).state).toBe('failed')
  await setGrants(server, [])
})

test('other grants that stood at a place for a while open nothing of what a snapshot has there', async () => {
  const bobId = await idOf('bob')
  server.put({
    '.snapshots/@GMT-2020.01.01-12.00.00/safe/secret.txt': 'CANARY',
    'safe/secret.txt': 'CANARY',
    'open/deep/secret.txt/own.txt': 'own',
    'twin/secret.txt/own.txt': 'own',
  })
  await setGrants(server, [
    [`user:${bobId}`, '/safe', 'see', 'create', 'change', 'delete'],
    [`user:${bobId}`, '/open', ...rightNames],
    [`user:${bobId}`, '/open/deep/secret.txt', ...rightNames],
    [`user:${bobId}`, '/twin', 'see', 'create', 'change', 'delete'],
    [`user:${bobId}`, '/twin/secret.txt', ...rightNames],
  ])
  await useSnapshots()
  const { moments } = await jsonIn<Timeline>(asAnn('/api/timeline/safe'))
  const past = moments.find(({ kind }) => kind === 'snapshot')?.past
  const read = async (ask: Ask) => (await ask(`/api/raw/safe/secret.txt?past=${past}`)).status
  expect([await read(asAnn), await read(asBob)]).toEqual([200, 403])
  const rename = async (from: string, to: string) => expect(await move(asBob, 'rename', from, to)).toBe(200)
  await rename('/safe', '/elsewhere')
  expect(await read(asBob)).toBe(403)
  // The same place, also with the same rights there, and one in it.
  for (const folder of ['/twin', '/open', '/open/deep']) {
    await rename(folder, '/safe')
    await rename('/safe', folder)
    expect([folder, await read(asBob)]).toEqual([folder, 403])
  }
  // One that stands there now.
  expect((await asBob('/api/resources/safe/', { method: 'POST' })).status).toBe(200)
  await rename('/open/deep/secret.txt', '/safe/secret.txt')
  expect(await read(asBob)).toBe(403)
  await setGrants(server, [])
})

const useSnapshots = () =>
  transaction(server.app.deps.db, 'serializable', async (trx) => {
    const history = JSON.stringify({ trash: 'on', versions: true, snapshotIsLocal: false })
    await trx.updateTable('mount').set({ history }).execute()
    await touchAccess(trx)
  })

test('a restore beside what has come since opens nothing under a name with rights of its own', async () => {
  const bobId = await idOf('bob')
  server.put({ 'inbox/secret.txt': 'CANARY' })
  await setGrants(server, [
    [`user:${bobId}`, '/inbox', 'see', 'create'],
    [`user:${bobId}`, '/inbox/secret(1).txt', ...rightNames],
  ])
  await remove('/inbox/secret.txt', asAnn)
  server.put({ 'inbox/secret.txt': 'later' })
  for (const onConflict of ['keep-both', 'ask']) {
    const job = await bob.run({ ...restoring(await itemAt('/inbox/secret.txt', asBob)), onConflict })
    if (job.state === 'asking') await bob.change(job.id, { forAll: 'keep-both' })
    expect((await bob.until(job.id, 'failed', 'done')).state).toBe('failed')
  }
  expect(isThere('inbox/secret(1).txt')).toBe(false)
  await setGrants(server, [[`user:${bobId}`, '/inbox', 'see', 'create']])
  const job = await bob.run({ ...restoring(await itemAt('/inbox/secret.txt', asBob)), onConflict: 'keep-both' })
  expect([job.state, server.file('inbox/secret(1).txt')]).toEqual(['done', 'CANARY'])
  expect((await asBob('/api/raw/inbox/secret(1).txt')).status).toBe(403)
  await setGrants(server, [])
})

test('with a folder nothing is purged that was removed from it before and that the account may not purge', async () => {
  const [annId, catId] = [await idOf('ann'), await idOf('cat')]
  server.put({ 'team/private/p.txt': 'p', 'team/t.txt': 't' })
  await setGrants(server, [
    [`user:${annId}`, '/team/private', ...rightNames],
    [`user:${catId}`, '/team/private'],
  ])
  await remove('/team/private', asAnn)
  await remove('/team', asCat)
  const { id } = await itemAt('/team', asCat)
  expect(await cat.run({ kind: 'purge', ids: [id] })).toMatchObject({ state: 'done' })
  expect(await isListed('/team/private', asAnn)).toBe(true)
  expect(await isListed('/team/private', asCat)).toBe(false)
  expect(await ann.run(restoring(await itemAt('/team/private', asAnn)))).toMatchObject({ state: 'done' })
  expect(server.file('team/private/p.txt')).toBe('p')
  expect((await asCat('/api/raw/team/private/p.txt')).status).toBe(403)
  await setGrants(server, [])
})

test('what was removed from a folder stays in sight when another program takes that out of the trash', async () => {
  server.put({ 'desk/a.txt': 'a', 'desk/b.txt': 'b' })
  await remove('/desk/a.txt', asAnn)
  await remove('/desk', asAnn)
  const trash = join(server.root, storeNames.trash)
  const name = readdirSync(join(trash, 'files')).find((each) => each.startsWith('desk.')) ?? ''
  renameSync(join(trash, 'files', name), join(server.root, 'desk'))
  rmSync(join(trash, 'info', `${name}.trashinfo`))
  await server.app.tidy()
  expect(await ann.run(restoring(await itemAt('/desk/a.txt', asAnn)))).toMatchObject({ state: 'done' })
  expect([server.file('desk/a.txt'), server.file('desk/b.txt')]).toEqual(['a', 'b'])
})

test('a refused undo tells nothing about places that the account does not see any more', async () => {
  const bobId = await idOf('bob')
  server.put({ 'shared/doc.txt': '1', 'shared/x.txt': 'x', 'closed/y.txt': 'y' })
  expect((await asBob('/api/resources/shared/doc.txt', { method: 'PUT', body: '2' })).status).toBe(200)
  expect(await bob.run({ kind: 'move', items: [{ from: '/shared/x.txt', to: '/closed/x.txt' }] })).toMatchObject({
    state: 'done',
  })
  const operations = await jsonIn<Operation[]>(asBob('/api/operations'))
  const [move, save] = operations.map(({ id }) => id)
  await setGrants(server, [[`user:${bobId}`, '/closed']])
  expect(await ann.run({ kind: 'move', items: [{ from: '/shared/doc.txt', to: '/closed/merger.txt' }] })).toMatchObject(
    {
      state: 'done',
    },
  )
  expect((await asAnn('/api/resources/closed/merger.txt', { method: 'PUT', body: '3' })).status).toBe(200)
  const ofSave = await (await bob.start({ kind: 'undo', operation: save })).text()
  expect(ofSave).not.toContain('merger')
  const told: string[] = []
  for (const isThereStill of [true, false]) {
    if (!isThereStill) rmSync(join(server.root, 'closed/x.txt'))
    told.push(await (await bob.start({ kind: 'undo', operation: move })).text())
  }
  expect(told[0]?.replace(/"id":"[^"]*"/, '')).toBe(told[1]?.replace(/"id":"[^"]*"/, '') ?? '')
  await setGrants(server, [])
})

const withoutId = (text: string) => text.replace(/"(id|operation)":"[^"]*"/g, '')

/** What an undo answers before and after each of these things happened out of the sight of the account. */
async function answersTo(operation: string | undefined, ...happenings: (() => unknown)[]): Promise<Set<string>> {
  const answers = new Set<string>()
  for (const happening of [() => {}, ...happenings]) {
    await happening()
    answers.add(withoutId(await (await bob.start({ kind: 'undo', operation })).text()))
  }
  return answers
}

const lastOf = async (ask: Ask) => (await jsonIn<Operation[]>(ask('/api/operations')))[0]?.id

test('a refused undo does not tell what became of a file that was moved out of sight', async () => {
  const bobId = await idOf('bob')
  server.put({ 'team/plan.txt': '1', 'away/': '' })
  expect((await asBob('/api/resources/team/plan.txt', { method: 'PUT', body: '2' })).status).toBe(200)
  const save = await lastOf(asBob)
  await setGrants(server, [[`user:${bobId}`, '/away']])
  await ann.run({ kind: 'move', items: [{ from: '/team/plan.txt', to: '/away/plan.txt' }] })
  const answers = await answersTo(
    save,
    () => asAnn('/api/resources/away/plan.txt', { method: 'PUT', body: 'three' }),
    () => rmSync(join(server.root, 'away/plan.txt')),
  )
  expect([...answers]).toEqual(['403 Forbidden\n'])
  await setGrants(server, [])
})

test('a refused undo does not tell what is in a letter box', async () => {
  const bobId = await idOf('bob')
  server.put({ 'post/letter.txt': 'l', 'desk2/': '' })
  await bob.run({ kind: 'move', items: [{ from: '/post/letter.txt', to: '/desk2/letter.txt' }] })
  const move = await lastOf(asBob)
  await setGrants(server, [[`user:${bobId}`, '/post', 'create']])
  const answers = await answersTo(move, () => server.put({ 'post/letter.txt': 'of another one' }))
  expect([...answers]).toEqual(['403 Forbidden\n'])
  await setGrants(server, [])
})

test('a refused undo does not tell that something was changed in a folder where it is hidden', async () => {
  const bobId = await idOf('bob')
  server.put({ 'plans/open.txt': 'o', 'plans/secret/s.txt': 's' })
  await bob.run({ kind: 'copy', items: [{ from: '/plans', to: '/plans2' }] })
  const copy = await lastOf(asBob)
  await setGrants(server, [[`user:${bobId}`, '/plans2/secret']])
  const answers = await answersTo(copy, () => server.put({ 'plans2/secret/new.txt': 'n' }))
  expect([...answers]).toEqual(['403 Forbidden\n'])
  await setGrants(server, [])
})

test('a refused undo does not tell that the folder is in the trash to where a thing was moved out of sight', async () => {
  const bobId = await idOf('bob')
  server.put({ 'crew/list.txt': '1', 'far/deep/': '' })
  expect((await asBob('/api/resources/crew/list.txt', { method: 'DELETE' })).status).toBe(204)
  const removal = await lastOf(asBob)
  await setGrants(server, [[`user:${bobId}`, '/far']])
  await ann.run({ kind: 'move', items: [{ from: '/crew', to: '/far/deep/crew' }] })
  const answers = await answersTo(
    removal,
    () => remove('/far/deep', asAnn),
    () => server.put({ 'far/deep/crew/list.txt': 'of another one' }),
  )
  expect([...answers]).toEqual(['403 Forbidden\n'])
  await setGrants(server, [])
})

test('neither the list of what was done nor its undo tells what became of something kept that is out of sight', async () => {
  const bobId = await idOf('bob')
  server.put({ 'fund/sum.txt': '1' })
  await remove('/fund/sum.txt', asBob)
  const item = await itemAt('/fund/sum.txt', asAnn)
  await setGrants(server, [[`user:${bobId}`, '/fund']])
  const listed = async () => JSON.stringify((await jsonIn<Operation[]>(asBob('/api/operations')))[0])
  const before = await listed()
  const removal = await lastOf(asBob)
  const answers = await answersTo(removal, () => ann.run({ kind: 'purge', ids: [item.id] }))
  expect([...answers]).toEqual(['403 Forbidden\n'])
  expect(await listed()).toBe(before)
  await setGrants(server, [])
})
