import { afterAll, beforeEach, expect, test } from 'bun:test'
import type { Grant, Why } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('boss', { isAdmin: true })
await server.addUser('ann', { scope: '/home/ann', lacks: ['delete'] })
const boss = await server.as('boss')
const { db } = server.app.deps
const ann = 2
server.put({ 'projects/a/b.txt': 'b', 'home/ann/c.txt': 'c' })
server.link('projects', 'link')

const post = (body: unknown) => boss('/api/grants', { method: 'POST', body: JSON.stringify(body) })
const grant = async (folder: string, rights: string[], subject = 'everybody', mount = 1) =>
  jsonIn<Grant>(post({ subject, mount, folder, rights }))
const listed = (query = '') => jsonIn<Grant[]>(boss(`/api/grants${query}`))
const folders = async (query: string) => (await listed(query)).map(({ folder }) => folder)
const why = (query: string) => jsonIn<Why>(boss(`/api/access/why?${query}`))

beforeEach(async () => {
  for (const { id } of await listed()) await boss(`/api/grants/${id}`, { method: 'DELETE' })
})

test('a grant is stored with the rights that others include, and made again it is replaced', async () => {
  const first = await grant('/projects/', ['share'], `user:${ann}`)
  expect(first).toEqual({
    ...{ id: first.id, subject: `user:${ann}`, name: 'ann', mount: 1, folder: '/projects' },
    rights: ['see', 'download', 'share'],
  })
  const second = await grant('/projects', ['create'], `user:${ann}`)
  expect([second.id, second.rights]).toEqual([first.id, ['create']])
  const changed = await boss(`/api/grants/${first.id}`, { method: 'PUT', body: JSON.stringify({ rights: [] }) })
  expect([changed.status, await changed.json()]).toEqual([200, { ...first, rights: [] }])
  expect(await listed()).toEqual([{ ...first, rights: [] }])
  expect((await boss(`/api/grants/${first.id}`, { method: 'DELETE' })).status).toBe(204)
  expect((await boss(`/api/grants/${first.id}`, { method: 'DELETE' })).status).toBe(404)
  expect(await listed()).toEqual([])
})

test('what is no subject, no mount, a file or behind a symlink is refused with a sentence', async () => {
  const cases: [object, string][] = [
    [{ subject: 'user:99' }, 'there is no user 99'],
    [{ subject: 'group:99' }, 'there is no group 99'],
    [{ subject: 'user:02' }, 'not a subject'],
    [{ subject: 'nobody' }, 'not a subject'],
    [{ mount: 9 }, 'there is no root folder 9'],
    [{ folder: '/projects/a/b.txt' }, 'this is a file'],
    [{ folder: '/link' }, 'leads to /projects'],
    [{ folder: '/link/a' }, 'leads to /projects/a'],
    [{ folder: '/a/../b' }, '..'],
    [{ rights: ['admin'] }, 'rights'],
  ]
  for (const [part, sentence] of cases) {
    const answer = await post({ subject: 'everybody', mount: 1, folder: '/projects', rights: ['see'], ...part })
    expect([part, answer.status]).toEqual([part, 400])
    expect(await answer.text()).toContain(sentence)
  }
  expect(await listed()).toEqual([])
  expect((await post({ subject: 'everybody', mount: 1, folder: '/yet/to/come', rights: [] })).status).toBe(201)
})

test('grants are listed by subject, folder, what is below and what is above', async () => {
  for (const folder of ['/', '/a', '/a/b', '/a/b/c', '/a b', '/ab', '/a0']) await grant(folder, ['see'])
  await grant('/a', ['see'], `user:${ann}`)
  expect(await folders('?folder=/a')).toEqual(['/a', '/a'])
  expect(await folders('?folder=/a&below=true')).toEqual(['/a', '/a', '/a/b', '/a/b/c'])
  expect(await folders('?folder=/a/b&above=true')).toEqual(['/', '/a', '/a', '/a/b'])
  expect(await folders('?folder=/a/b&above=true&below=true')).toEqual(['/', '/a', '/a', '/a/b', '/a/b/c'])
  expect(await folders(`?subject=user:${ann}`)).toEqual(['/a'])
  expect(await folders('?mount=1')).toHaveLength(8)
  expect(await folders('?mount=2')).toEqual([])
  expect(await folders('?limit=3')).toHaveLength(3)
  expect((await boss('/api/grants?subject=x')).status).toBe(400)
})

test('why tells the deciding grant of a person, and what the account, a rule and the home add', async () => {
  await grant('/projects', ['download', 'delete'])
  const atGrant = await why(`subject=user:${ann}&mount=1&folder=/projects/a`)
  expect([atGrant.rights, atGrant.deciding.map(({ folder }) => folder)]).toEqual([['see', 'download'], ['/projects']])
  expect(atGrant.reason).toContain('the account of ann lacks the permission to delete')
  expect((await why(`subject=user:${ann}&path=/home/ann/c.txt`)).deciding).toMatchObject([{ id: 0, isHome: true }])
  expect((await why(`subject=user:${ann}&mount=1&folder=/`)).isCorridor).toBe(true)
  expect(await why('subject=guest&folder=/projects')).toMatchObject({ rights: [], deciding: [] })
  const linked = await why(`subject=user:${ann}&folder=/link`)
  expect([linked.rights, linked.reason]).toEqual([[], expect.stringContaining('ann may do nothing')])
  expect((await boss('/api/access/why?subject=everybody&folder=/')).status).toBe(400)
  expect((await boss('/api/access/why?subject=user:99&folder=/')).status).toBe(400)
})

test('grants made at once for one subject and folder are one grant', async () => {
  const answers = await Promise.all(
    ['see', 'download', 'create', 'change'].map((right) =>
      post({ subject: 'guest', mount: 1, folder: '/race', rights: [right] }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  expect(await listed('?folder=/race')).toHaveLength(1)
})

test('50,000 grants are listed for one folder without those of others', async () => {
  await db.transaction().execute(async (trx) => {
    for (let part = 0; part < 50; part += 1)
      await trx
        .insertInto('grant')
        .values(
          Array.from({ length: 1000 }, (_, index) => {
            const id = 10_000 + part * 1000 + index
            return { id, subject: `user:${ann}`, location: `/many/${id}`, rights: 1 }
          }),
        )
        .execute()
  })
  expect(await folders('?folder=/many/10007&above=true')).toEqual(['/many/10007'])
  expect(await folders('?folder=/many&below=true&limit=10')).toHaveLength(10)
  await db.deleteFrom('grant').execute()
})
