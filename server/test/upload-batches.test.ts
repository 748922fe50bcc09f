import { afterAll, beforeEach, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type BatchHead, type BatchOutcome, batchLimits } from '@filestead/contract'
import { treeOf } from './disk.ts'
import { headOf, openLine } from './line.ts'
import { until } from './process.ts'
import { startServer } from './server.ts'
import { encoded, pieceType } from './tus.ts'
import { startUploadServer } from './upload-server.ts'

const { server, ask, annsToken, ann, rows, clear } = await startUploadServer()
beforeEach(clear)
afterAll(() => server.stop())

type Sent = Omit<BatchHead, 'length'> & { content: string | Uint8Array }

const framed = (files: readonly Sent[]): Buffer =>
  Buffer.concat(
    files.flatMap(({ content, ...head }) => {
      const bytes = Buffer.from(content)
      return [Buffer.from(`${JSON.stringify({ ...head, length: bytes.length })}\n`), bytes]
    }),
  )

/** By path: the status, and the code of a refusal. */
async function outcomesOf(answer: Promise<Response>): Promise<Record<string, [number, string?]>> {
  const response = await answer
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const lines = (await response.text()).trimEnd().split('\n')
  return Object.fromEntries(
    lines.map((line) => {
      const { path = '', status, code } = JSON.parse(line) as BatchOutcome
      return [path, code === undefined ? [status] : [status, code]]
    }),
  )
}

const send = (files: readonly Sent[], by = ask) =>
  by('/api/uploads', { method: 'POST', body: framed(files) as Uint8Array<ArrayBuffer> })

test('a batch makes its files, with folders, content and times, and leaves no rows', async () => {
  const modified = '2021-05-06T07:08:09.000Z'
  const content = Uint8Array.from({ length: 256 }, (_, index) => index)
  const answer = send([
    { path: '/a.txt', content: 'hello' },
    { path: '/x/y/ü \n".bin', content, metadata: `mtime ${encoded(modified)}` },
    { path: '/empty', content: '' },
    { path: '/large', content: Buffer.alloc(batchLimits.fileSize, 'l') },
  ])
  expect(await outcomesOf(answer)).toEqual({
    '/a.txt': [201],
    '/x/y/ü \n".bin': [201],
    '/empty': [201],
    '/large': [201],
  })
  expect(treeOf(server.root)).toMatchObject({ 'a.txt': 'hello', empty: '' })
  const odd = join(server.root, 'x/y/ü \n".bin')
  expect(await Bun.file(odd).bytes()).toEqual(content)
  expect(statSync(odd).mtime.toISOString()).toBe(modified)
  expect(statSync(join(server.root, 'large')).size).toBe(batchLimits.fileSize)
  const drafts = () => server.app.deps.db.selectFrom('draft').selectAll().execute()
  // Rows go beside the answer.
  await until(async () => (await rows()) === 0 && (await drafts()).length === 0)
})

test('each file is refused or taken as if it had come alone', async () => {
  server.put({ 'taken.txt': 'theirs', 'old.txt': 'old', 'private/x': '', 'folder/in': '' })
  const answer = send([
    { path: '/taken.txt', content: 'mine' },
    { path: '/old.txt', content: 'new', override: true },
    { path: '/private/secret.txt', content: 'x' },
    { path: '/folder', content: 'x', override: true },
    { path: '/folder/', content: 'x' },
    { path: '/../up', content: 'x' },
    { path: '/\ud800', content: 'x' },
    { path: '/.filestead-draft-x', content: 'x' },
    { path: '/twice', content: 'one' },
    { path: '/new.txt', content: 'new' },
  ])
  expect(await outcomesOf(answer)).toEqual({
    '/taken.txt': [409, 'already-exists'],
    '/old.txt': [201],
    '/private/secret.txt': [403, 'forbidden'],
    '/folder': [409, 'already-exists'],
    '/folder/': [400, 'invalid'],
    '/../up': [400, 'invalid'],
    '/\ud800': [400, 'invalid'],
    '/.filestead-draft-x': [403, 'forbidden'],
    '/twice': [201],
    '/new.txt': [201],
  })
  expect(treeOf(server.root)).toEqual({
    'taken.txt': 'theirs',
    'old.txt': 'new',
    'private/': '',
    'private/x': '',
    'folder/': '',
    'folder/in': '',
    twice: 'one',
    'new.txt': 'new',
  })
})

test('without the right to modify nothing is replaced, and without that to create nothing is read', async () => {
  server.put({ old: 'old' })
  const creator = await server.as('may-only-create')
  const files = [
    { path: '/old', content: 'new', override: true },
    { path: '/new', content: 'new' },
  ]
  expect(await outcomesOf(send(files, creator))).toEqual({ '/old': [403, 'forbidden'], '/new': [201] })
  expect((await send(files, await server.as('may-not-create'))).status).toBe(403)
  expect(treeOf(server.root)).toEqual({ old: 'old', new: 'new' })
})

test('a client whose answer was lost learns that its file has arrived', async () => {
  const metadata = `mtime ${encoded('2021-05-06T07:08:09.000Z')}`
  await (await send([{ path: '/a', content: 'hello', metadata }])).arrayBuffer()
  const { status, headers } = await ann.head('/a')
  expect([status, headers.get('upload-offset'), headers.get('upload-metadata')]).toEqual([200, '5', metadata])
})

test('an unfinished upload to the same path is given up', async () => {
  await ann.create('/a', 10)
  await ann.append('/a', 0, 'half')
  expect(await outcomesOf(send([{ path: '/a', content: 'whole' }]))).toEqual({ '/a': [201] })
  await until(async () => (await rows()) === 0)
  expect(treeOf(server.root)).toEqual({ a: 'whole' })
})

test.each([
  ['a line that is no JSON', 'nonsense\nx', 400],
  ['a line without an end', `{"path":"/a","length":1}`, 400],
  ['a line that is too long', `{"path":"${'a'.repeat(40_000)}","length":1}\nx`, 400],
  ['a file that is too large', `{"path":"/a","length":${batchLimits.fileSize + 1}}\n`, 400],
  ['a length below zero', `{"path":"/a","length":-1}\n`, 400],
  ['fewer bytes than announced', `{"path":"/a","length":3}\nab`, 400],
])('%s is refused', async (_, body, status) => {
  expect((await ask('/api/uploads', { method: 'POST', body })).status).toBe(status)
  expect(treeOf(server.root)).toEqual({})
})

test('what comes before a mistake stays, and the answer tells where the reading ended', async () => {
  const body = `{"path":"/a","length":1}\nx{"path":"/b","length":9}\nshort`
  const outcomes = await outcomesOf(ask('/api/uploads', { method: 'POST', body }))
  expect(outcomes).toEqual({ '/a': [201], '': [400, 'incomplete'] })
  expect(treeOf(server.root)).toEqual({ a: 'x' })
})

test('more files or bytes than a batch may have are not read', async () => {
  const many = Array.from({ length: batchLimits.files + 1 }, (_, index) => ({ path: `/many/${index}`, content: 'x' }))
  expect((await outcomesOf(send(many)))['']).toEqual([413, 'too-large'])
  const content = Buffer.alloc(batchLimits.fileSize)
  const count = batchLimits.size / batchLimits.fileSize
  const large = Array.from({ length: count + 1 }, (_, index) => ({ path: `/large/${index}`, content }))
  expect((await outcomesOf(send(large)))['']).toEqual([413, 'too-large'])
  const names = Object.keys(treeOf(server.root)).filter((name) => !name.endsWith('/'))
  expect(names.filter((name) => name.startsWith('many/'))).toHaveLength(batchLimits.files)
  expect(names.filter((name) => name.startsWith('large/'))).toHaveLength(count)
})

const isCutLogged = () =>
  (server.logged as [Record<string, unknown>][]).some(
    ([{ event, status }]) => event === 'upload-batch' && status === 400,
  )

test('a connection that breaks leaves the files that came whole, and nothing of the next', async () => {
  server.logged.splice(0)
  const line = await openLine(server.url)
  const whole = framed([{ path: '/a', content: 'whole' }]).toString()
  const head = headOf('POST', '/files/api/uploads', { 'X-Auth': annsToken, 'Content-Length': 10_000 })
  await line.send(`${head}${whole}{"path":"/b","length":50}\nhalf`)
  await until(async () => Object.keys(treeOf(server.root)).length > 0)
  line.reset()
  await until(isCutLogged)
  expect([treeOf(server.root), await rows()]).toEqual([{ a: 'whole' }, 0])
})

test('each file of a batch logs a line like an upload of its own', async () => {
  server.put({ taken: '' })
  server.logged.splice(0)
  await (
    await send([
      { path: '/a b', content: 'hello' },
      { path: '/taken', content: '' },
    ])
  ).arrayBuffer()
  const lines = (server.logged as [Record<string, unknown>, string?][]).map(([{ id: _, address, ...facts }]) => facts)
  expect(lines).toContainEqual(
    expect.objectContaining({ event: 'upload', door: 'web', user: 'ann', path: '/a b', bytes: 5, status: 201 }),
  )
  expect(lines).toContainEqual(
    expect.objectContaining({ event: 'upload', user: 'ann', path: '/api/tus/taken', status: 409 }),
  )
  expect(lines).toHaveLength(2)
})

test('a hook runs for each file, and one that refuses keeps out that file alone', async () => {
  await using hooked = await startServer({
    disableExec: false,
    settings: { commands: { before_upload: ['sh -c \'test "$(basename "$FILE")" != bad\''] } },
  })
  await hooked.addUser('ann')
  const outcomes = await outcomesOf(
    send(
      [
        { path: '/good', content: 'x' },
        { path: '/bad', content: 'x' },
      ],
      await hooked.as('ann'),
    ),
  )
  expect(outcomes).toMatchObject({ '/good': [201] })
  expect(outcomes['/bad']?.[0]).not.toBe(201)
  expect(treeOf(hooked.root)).toEqual({ good: 'x' })
})

test('a small file that comes with the creation of its upload makes neither a lasting row nor a note of its draft', async () => {
  const headers = { 'upload-length': '5', 'content-type': pieceType }
  const answer = await ask('/api/tus/one', { method: 'POST', headers, body: 'hello' })
  expect([answer.status, answer.headers.get('upload-offset'), answer.headers.get('upload-expires')]).toEqual([
    201,
    '5',
    null,
  ])
  await until(async () => (await rows()) === 0)
  expect(treeOf(server.root)).toEqual({ one: 'hello' })
})
