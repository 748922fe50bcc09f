import { expect, test } from 'bun:test'
import { type Job, type Operation, operationHeader } from '@filestead/contract'
import { type Ask, startServer } from './server.ts'

const operations = async (ask: Ask): Promise<Operation[]> =>
  (await (await ask('/api/operations')).json()) as Operation[]

test('what an account did is listed for itself alone, the newest first, with names and folders', async () => {
  await using server = await startServer()
  for (const name of ['ada', 'bob']) await server.addUser(name)
  const [ada, bob] = [await server.as('ada'), await server.as('bob')]
  await ada('/api/resources/box/a.txt', { method: 'POST', body: 'one' })
  await ada('/api/resources/box/a.txt?action=rename&destination=/box/b.txt', { method: 'PATCH' })
  await bob('/api/resources/box/c.txt', { method: 'POST', body: 'of bob' })
  const listed = await operations(ada)
  expect(listed).toMatchObject([
    { kind: 'move', names: ['a.txt'], count: 1, from: '/box', to: '/box', renamedTo: 'b.txt', canUndo: true },
    { kind: 'create', names: ['a.txt'], count: 1, to: '/box', canUndo: true },
  ])
  expect(await operations(bob)).toMatchObject([{ kind: 'create', names: ['c.txt'] }])
})

test('a move into another folder is no rename, whatever name it gets; several renames in one act are', async () => {
  await using server = await startServer()
  await server.addUser('ada')
  const ada = await server.as('ada')
  server.put({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', 'box/': '' })
  const move = (from: string, to: string, headers: Record<string, string> = {}) =>
    ada(`/api/resources${from}?action=rename&destination=${to}`, { method: 'PATCH', headers })
  await move('/a.txt', '/box/z.txt')
  const headers = { [operationHeader]: 'an-act-of-several-requests' }
  await move('/b.txt', '/x.txt', headers)
  await move('/c.txt', '/y.txt', headers)
  const [renames, moved] = await operations(ada)
  expect(renames).toMatchObject({ kind: 'move', names: ['b.txt', 'c.txt'], count: 2, renamedTo: 'x.txt' })
  expect(moved).toMatchObject({ kind: 'move', names: ['a.txt'] })
  expect(moved).not.toHaveProperty('renamedTo')
})

test('a removal where nothing is kept is listed, and cannot be taken back', async () => {
  await using server = await startServer()
  await server.addUser('ada')
  const ada = await server.as('ada')
  server.put({ 'a.txt': 'a' })
  await ada('/api/resources/a.txt', { method: 'DELETE' })
  expect(await operations(ada)).toMatchObject([{ kind: 'remove', from: '/', canUndo: false, why: 'not-kept' }])
})

test('a change that is refused leaves nothing in the list', async () => {
  await using server = await startServer()
  await server.addUser('ada')
  const ada = await server.as('ada')
  expect((await ada('/api/resources/none.txt', { method: 'DELETE' })).status).toBe(404)
  expect(await operations(ada)).toEqual([])
})

test('requests that name the same operation are one entry, and a name of another form is ignored', async () => {
  await using server = await startServer()
  await server.addUser('ada')
  const ada = await server.as('ada')
  const headers = { [operationHeader]: 'an-act-of-several-requests' }
  for (const name of ['a', 'b', 'c', 'd'])
    await ada(`/api/resources/in/${name}.txt`, { method: 'POST', body: name, headers })
  await ada('/api/resources/e.txt', { method: 'POST', body: 'e', headers: { [operationHeader]: 'short' } })
  expect(await operations(ada)).toMatchObject([
    { names: ['e.txt'] },
    { id: 'an-act-of-several-requests', names: ['a.txt', 'b.txt', 'c.txt'], count: 4, to: '/in' },
  ])
})

test('a job is one operation, by its id', async () => {
  await using server = await startServer()
  await server.addUser('ada')
  const ada = await server.as('ada')
  server.put({ 'a.txt': 'a', 'b.txt': 'b', 'to/': '' })
  const items = ['a', 'b'].map((name) => ({ from: `/${name}.txt`, to: `/to/${name}.txt` }))
  const body = JSON.stringify({ kind: 'move', items })
  const job = (await (await ada('/api/jobs', { method: 'POST', body, headers: { prefer: 'wait=20' } })).json()) as Job
  expect(job.state).toBe('done')
  expect(await operations(ada)).toMatchObject([{ id: job.id, kind: 'move', count: 2, from: '/', to: '/to' }])
})

test('an operation of more than a day ago is listed no longer', async () => {
  await using server = await startServer()
  await server.addUser('ada')
  let ada = await server.as('ada')
  await ada('/api/resources/a.txt', { method: 'POST', body: 'a' })
  server.clock.now += 24 * 60 * 60 + 1
  ada = await server.as('ada')
  expect(await operations(ada)).toEqual([])
  await server.app.tidy()
  expect(await server.app.deps.db.selectFrom('operation').selectAll().execute()).toEqual([])
})
