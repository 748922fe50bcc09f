import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { type Job, type Operation, operationHeader } from '@filestead/contract'
import { type Ask, startServer } from './server.ts'
import { tusOf } from './tus.ts'

const operations = async (ask: Ask): Promise<Operation[]> =>
  (await (await ask('/api/operations')).json()) as Operation[]

interface Undone {
  readonly status: number
  readonly job: Job & { message?: string }
}

async function undo(ask: Ask, operation: string): Promise<Undone> {
  const body = JSON.stringify({ kind: 'undo', operation })
  const response = await ask('/api/jobs', {
    method: 'POST',
    body,
    headers: { prefer: 'wait=20', accept: 'application/json' },
  })
  return { status: response.status, job: (await response.json()) as Undone['job'] }
}

/** Takes back the last thing that the account did. */
async function undoLast(ask: Ask): Promise<Undone> {
  const [last] = await operations(ask)
  return undo(ask, last?.id ?? '')
}

async function world() {
  const server = await startServer({ history: { trash: 'on', versions: true } })
  for (const name of ['ada', 'bob']) await server.addUser(name)
  const [ada, bob] = [await server.as('ada'), await server.as('bob')]
  const names = (folder = '') =>
    readdirSync(`${server.root}/${folder}`).filter((name) => !/^\.(Trash|filestead)/.test(name))
  return { server, ada, bob, names, [Symbol.asyncDispose]: () => server.stop() }
}

const send = (method: string, body?: string, headers?: Record<string, string>): RequestInit => ({
  method,
  ...(body !== undefined && { body }),
  ...(headers !== undefined && { headers }),
})

test('a removal is taken back, and that again', async () => {
  await using it = await world()
  it.server.put({ 'box/a.txt': 'a', 'box/in/b.txt': 'b' })
  await it.ada('/api/resources/box', send('DELETE'))
  expect(it.names()).toEqual([])
  expect((await undoLast(it.ada)).job.state).toBe('done')
  expect([it.server.file('box/a.txt'), it.server.file('box/in/b.txt')]).toEqual(['a', 'b'])
  expect(await operations(it.ada)).toMatchObject([
    { kind: 'undo', undid: 'remove', canUndo: true },
    { kind: 'remove', canUndo: false, why: 'undone' },
  ])
  expect((await undoLast(it.ada)).job.state).toBe('done')
  expect(it.names()).toEqual([])
  expect((await undoLast(it.ada)).job.state).toBe('done')
  expect(it.server.file('box/in/b.txt')).toBe('b')
})

test('a save is taken back over the version that it left, and redone', async () => {
  await using it = await world()
  it.server.put({ 'a.txt': 'first' })
  await it.ada('/api/resources/a.txt', send('PUT', 'second'))
  expect((await undoLast(it.ada)).job.state).toBe('done')
  expect(it.server.file('a.txt')).toBe('first')
  expect((await undoLast(it.ada)).job.state).toBe('done')
  expect(it.server.file('a.txt')).toBe('second')
})

test('an upload of a folder is taken back with the folders that it made', async () => {
  await using it = await world()
  const headers = { [operationHeader]: 'the-upload-of-a-folder' }
  it.server.put({ 'old/a.txt': 'old' })
  await it.ada('/api/resources/new/in/a.txt', send('POST', 'a', headers))
  await it.ada('/api/resources/new/b.txt', send('POST', 'b', headers))
  await it.ada('/api/resources/old/a.txt?override=true', send('POST', 'new', headers))
  expect((await undo(it.ada, 'the-upload-of-a-folder')).job.state).toBe('done')
  expect([it.names(), it.server.file('old/a.txt')]).toEqual([['old'], 'old'])
  expect((await undoLast(it.ada)).job.state).toBe('done')
  expect([it.server.file('new/in/a.txt'), it.server.file('new/b.txt'), it.server.file('old/a.txt')]).toEqual([
    'a',
    'b',
    'new',
  ])
})

test('an upload in pieces is taken back with the folders that its beginning made, and is listed once where it made none', async () => {
  await using it = await world()
  const tus = tusOf(it.ada)
  for (const path of ['/new/in/a.txt', '/new/in/b.txt']) {
    expect((await tus.create(path, 2)).status).toBe(201)
    expect((await tus.append(path, 0, 'ab')).status).toBe(204)
  }
  expect(it.names('new/in').sort()).toEqual(['a.txt', 'b.txt'])
  const stored = await it.server.app.deps.db.selectFrom('operation').select('kind').orderBy('id').execute()
  expect(stored.map(({ kind }) => kind)).toEqual(['create-folder', 'upload', 'upload'])
  expect(await operations(it.ada)).toHaveLength(2)
  for (const _ of ['b.txt', 'a.txt']) {
    const [last] = (await operations(it.ada)).filter(({ canUndo, kind }) => canUndo && kind !== 'undo')
    expect((await undo(it.ada, last?.id ?? '')).job.state).toBe('done')
  }
  expect(it.names()).toEqual([])
})

test('a move that replaced a file is taken back with both', async () => {
  await using it = await world()
  it.server.put({ 'a.txt': 'a', 'b.txt': 'b' })
  await it.ada('/api/resources/a.txt?action=rename&destination=/b.txt&override=true', send('PATCH'))
  expect([it.names(), it.server.file('b.txt')]).toEqual([['b.txt'], 'a'])
  expect((await undoLast(it.ada)).job.state).toBe('done')
  expect([it.server.file('a.txt'), it.server.file('b.txt')]).toEqual(['a', 'b'])
})

test('what another account has saved since stays as it is, and the refusal names it', async () => {
  await using it = await world()
  await it.ada('/api/resources/a.txt', send('POST', 'of ada'))
  await it.bob('/api/resources/a.txt', send('PUT', 'of bob, and longer'))
  const { status, job } = await undoLast(it.ada)
  expect([status, job.message]).toEqual([412, 'a.txt was changed since, so it stays as it is'])
  expect(job).toMatchObject({ reason: 'changed', name: 'a.txt' })
  expect(it.server.file('a.txt')).toBe('of bob, and longer')
  expect(await operations(it.ada)).toMatchObject([{ kind: 'create', canUndo: true }])
})

test('a folder that was copied stays where something was added to it since', async () => {
  await using it = await world()
  it.server.put({ 'box/a.txt': 'a' })
  await it.ada('/api/resources/box?action=copy&destination=/copy', send('PATCH'))
  await Bun.sleep(20)
  await it.bob('/api/resources/copy/b.txt', send('POST', 'b'))
  const { status, job } = await undoLast(it.ada)
  expect([status, job.message]).toEqual([412, 'In copy something was changed or added since, so it stays'])
  expect(it.names('copy').sort()).toEqual(['a.txt', 'b.txt'])
})

test('a name that is taken since is not replaced', async () => {
  await using it = await world()
  it.server.put({ 'a.txt': 'a' })
  await it.ada('/api/resources/a.txt?action=rename&destination=/b.txt', send('PATCH'))
  await it.bob('/api/resources/a.txt', send('POST', 'of bob'))
  const { status, job } = await undoLast(it.ada)
  expect([status, job.message]).toEqual([412, 'Something else is called a.txt now'])
  expect([it.server.file('a.txt'), it.server.file('b.txt')]).toEqual(['of bob', 'a'])
})

test('what was purged since cannot come back, and the list says so', async () => {
  await using it = await world()
  it.server.put({ 'a.txt': 'a' })
  await it.ada('/api/resources/a.txt', send('DELETE'))
  await it.ada('/api/jobs', send('POST', JSON.stringify({ kind: 'purge' })))
  const [removal] = await operations(it.ada)
  expect(removal).toMatchObject({ kind: 'remove', canUndo: false, why: 'purged' })
  expect((await undoLast(it.ada)).status).toBe(412)
})

test('a save whose old version was restored since says so, and is taken back after that restore', async () => {
  await using it = await world()
  it.server.put({ 'a.txt': 'first' })
  await it.ada('/api/resources/a.txt', send('PUT', 'second'))
  const [save] = await operations(it.ada)
  const { moments } = (await (await it.ada('/api/timeline/a.txt')).json()) as {
    moments: { kind: string; past?: string }[]
  }
  const past = moments.find(({ kind }) => kind === 'version')?.past
  await it.ada(
    '/api/jobs',
    send('POST', JSON.stringify({ kind: 'restore', items: [{ past, from: '/a.txt', to: '/a.txt' }] }), {
      prefer: 'wait=20',
    }),
  )
  expect(it.server.file('a.txt')).toBe('first')
  expect(await operations(it.ada)).toMatchObject([
    { kind: 'restore', canUndo: true },
    { kind: 'save', canUndo: false, why: 'restored' },
  ])
  const { status, job } = await undo(it.ada, save?.id ?? '')
  expect([status, job.message]).toEqual([412, 'What it needs was restored since: take that back first'])
  expect((await undoLast(it.ada)).job.state).toBe('done')
  expect(it.server.file('a.txt')).toBe('second')
  expect((await undo(it.ada, save?.id ?? '')).job.state).toBe('done')
  expect(it.server.file('a.txt')).toBe('first')
})

test('nothing of another account is taken back', async () => {
  await using it = await world()
  await it.ada('/api/resources/a.txt', send('POST', 'of ada'))
  const [made] = await operations(it.ada)
  expect((await undo(it.bob, made?.id ?? '')).status).toBe(404)
  expect(it.server.file('a.txt')).toBe('of ada')
})

test('of two at once that take back the same, one is refused', async () => {
  await using it = await world()
  it.server.put({ 'a.txt': 'a' })
  await it.ada('/api/resources/a.txt', send('DELETE'))
  const [removal] = await operations(it.ada)
  const both = await Promise.all([1, 2].map(() => undo(it.ada, removal?.id ?? '')))
  const states = both.map(({ status, job }) => (status === 200 ? job.state : status))
  expect(states.filter((state) => state === 'done')).toHaveLength(1)
  expect(it.server.file('a.txt')).toBe('a')
})

test('without the right to it any more, nothing is taken back', async () => {
  await using it = await world()
  it.server.put({ 'a.txt': 'a' })
  await it.ada('/api/resources/a.txt', send('DELETE'))
  const db = it.server.app.deps.db
  const row = await db.selectFrom('user').selectAll().where('username', '=', 'ada').executeTakeFirstOrThrow()
  const profile = JSON.parse(row.profile)
  await db
    .updateTable('user')
    .set({ profile: JSON.stringify({ ...profile, perm: { ...profile.perm, create: false } }) })
    .where('id', '=', row.id)
    .execute()
  const ada = await it.server.as('ada')
  const { status, job } = await undoLast(ada)
  expect([status, job.state ?? '']).not.toEqual([200, 'done'])
  expect(it.names()).toEqual([])
})
