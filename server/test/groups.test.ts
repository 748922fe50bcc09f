import { afterAll, expect, test } from 'bun:test'
import type { Grant, Group, GroupIds } from '@filestead/contract'
import { accessVersion } from '../src/database/counters.ts'
import { jsonIn } from './answers.ts'
import { password, startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('boss', { isAdmin: true })
for (const name of ['ann', 'bob']) await server.addUser(name)
const boss = await server.as('boss')
const { db } = server.app.deps
const [bossId, ann, bob] = [1, 2, 3]
const version = accessVersion(db)

const post = (path: string, body: unknown) => boss(path, { method: 'POST', body: JSON.stringify(body) })
const put = (path: string, body: unknown) => boss(path, { method: 'PUT', body: JSON.stringify(body) })
const remove = (path: string, body?: unknown) =>
  boss(path, { method: 'DELETE', body: body === undefined ? null : JSON.stringify(body) })
const groups = () => jsonIn<Group[]>(boss('/api/groups'))
const made = async (name: string, members: number[] = []) => jsonIn<Group>(post('/api/groups', { name, members }))
const groupsOf = async (user: number) => (await jsonIn<GroupIds>(boss(`/api/users/${user}/groups`))).groups

test('a group is made with its members, changed, and removed', async () => {
  const team = await made('Team', [bob, ann, bob])
  expect(team).toEqual({ id: team.id, name: 'Team', source: 'local', members: [ann, bob] })
  expect(await groups()).toEqual([team])
  const changed = await put(`/api/groups/${team.id}`, { name: 'Crew', members: [bossId, bob] })
  expect(await changed.json()).toEqual({ ...team, name: 'Crew', members: [bossId, bob] })
  expect(await groupsOf(ann)).toEqual([])
  expect((await remove(`/api/groups/${team.id}`)).status).toBe(204)
  expect(await groups()).toEqual([])
  expect((await remove(`/api/groups/${team.id}`)).status).toBe(404)
  expect((await put(`/api/groups/${team.id}`, { name: 'Crew' })).status).toBe(404)
})

test('members are edited from the side of the user, too', async () => {
  const [one, two] = [await made('One'), await made('Two', [ann])]
  expect((await put(`/api/users/${ann}/groups`, { groups: [one.id, one.id] })).status).toBe(200)
  expect(await groupsOf(ann)).toEqual([one.id])
  expect((await groups()).map(({ name, members }) => [name, members])).toEqual([
    ['One', [ann]],
    ['Two', []],
  ])
  expect((await put('/api/users/99/groups', { groups: [] })).status).toBe(404)
  expect((await put(`/api/users/${ann}/groups`, { groups: [99] })).status).toBe(400)
  expect(await groupsOf(ann)).toEqual([one.id])
  for (const { id } of [one, two]) await remove(`/api/groups/${id}`)
})

test('a name that is taken in another case, reserved, empty or not to be shown is refused', async () => {
  const { id } = await made('Münster')
  for (const [name, status] of [
    ['münster', 409],
    ['MU\u0308NSTER', 409],
    ['Everybody', 400],
    ['guest', 400],
    ['  ', 400],
    ['a\u202eb', 400],
    ['a\nb', 400],
  ] as const)
    expect([name, (await post('/api/groups', { name })).status]).toEqual([name, status])
  expect((await post('/api/groups', { name: 'Ghosts', members: [99] })).status).toBe(400)
  expect((await put(`/api/groups/${id}`, { name: 'MÜNSTER' })).status).toBe(200)
  await remove(`/api/groups/${id}`)
  expect(await groups()).toEqual([])
})

test('a group of a directory is shown and not edited', async () => {
  await db.insertInto('circle').values({ id: 500, name: 'staff', source: 'ldap' }).execute()
  await db.insertInto('member').values({ user_id: ann, circle_id: 500 }).execute()
  for (const answer of [
    put('/api/groups/500', { name: 'other' }),
    remove('/api/groups/500'),
    put(`/api/users/${ann}/groups`, { groups: [] }),
    put(`/api/users/${bob}/groups`, { groups: [500] }),
  ])
    expect((await answer).status).toBe(403)
  const own = await made('Own')
  expect((await put(`/api/users/${ann}/groups`, { groups: [own.id, 500] })).status).toBe(200)
  expect(await groupsOf(ann)).toEqual([own.id, 500].toSorted((a, b) => a - b))
  await remove(`/api/groups/${own.id}`)
  await db.deleteFrom('circle').where('id', '=', 500).execute()
})

test('the grants of a group end with it, and its number is not given again', async () => {
  const team = await made('Team', [ann])
  const grant = { subject: `group:${team.id}`, mount: 1, folder: '/a', rights: ['see'] }
  expect((await post('/api/grants', grant)).status).toBe(201)
  await remove(`/api/groups/${team.id}`)
  expect(await jsonIn<Grant[]>(boss('/api/grants'))).toEqual([])
  const next = await made('Team')
  expect(next.id).toBeGreaterThan(team.id)
  expect((await post('/api/grants', grant)).status).toBe(400)
  await remove(`/api/groups/${next.id}`)
})

test('a user who is removed leaves no grants and no memberships behind', async () => {
  await server.addUser('gone')
  const users = await jsonIn<{ id: number; username: string }[]>(boss('/api/users'))
  const id = users.find(({ username }) => username === 'gone')?.id ?? 0
  const team = await made('Team', [id])
  await post('/api/grants', { subject: `user:${id}`, mount: 1, folder: '/a', rights: ['see'] })
  expect((await remove(`/api/users/${id}`, { current_password: password })).status).toBe(200)
  expect([await jsonIn<Grant[]>(boss('/api/grants')), (await groups())[0]?.members]).toEqual([[], []])
  await remove(`/api/groups/${team.id}`)
})

test('every change counts up what requests keep of rights, and a refused one does not', async () => {
  const counts = async (work: () => Promise<unknown>) => {
    const before = await version()
    await work()
    return (await version()) > before
  }
  let team = { id: 0 }
  const makes = async () => {
    team = await made('Team')
  }
  expect(await counts(makes)).toBe(true)
  expect(await counts(() => put(`/api/groups/${team.id}`, { name: 'Team', members: [ann] }))).toBe(true)
  expect(await counts(() => put(`/api/users/${ann}/groups`, { groups: [] }))).toBe(true)
  expect(await counts(() => post('/api/groups', { name: 'team' }))).toBe(false)
  expect(await counts(() => remove(`/api/groups/${team.id}`))).toBe(true)
})

test('groups that are made at once with one name are one group', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => post('/api/groups', { name: 'Race' })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
})
