import { afterAll, beforeEach, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, linkSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { draftPrefix } from '../src/storage/path.ts'
import { statusOf } from './answers.ts'
import { modeOf, treeOf } from './disk.ts'
import { startServer } from './server.ts'
import { sendBytes } from './socket.ts'

const server = await startServer()
await server.addUser('alice')
const token = await server.signIn('alice')
const alice = await server.as('alice')
afterAll(() => server.stop())

beforeEach(() => {
  rmSync(server.root, { recursive: true, force: true })
  server.put({ 'a.txt': 'old', 'box/in.txt': 'in' })
})

const at = (path: string) => join(server.root, path)
const tree = () => treeOf(server.root)
const untouched = { 'a.txt': 'old', 'box/': '', 'box/in.txt': 'in' }
const send = (method: string, path: string, body: RequestInit['body'] = null, headers: Record<string, string> = {}) =>
  alice(`/api/resources${path}`, { method, body, headers })
const status = (...request: Parameters<typeof send>) => statusOf(send(...request))
const withoutUmask = (mode: number) => (mode & ~process.umask()).toString(8)

test('a new file is written and answered with its version', async () => {
  const response = await send('POST', '/new.txt', 'hello')
  expect([response.status, await response.text()]).toEqual([200, '200 OK\n'])
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(response.headers.get('etag')).toBe((await send('GET', '/new.txt')).headers.get('etag'))
  expect(tree()).toEqual({ ...untouched, 'new.txt': 'hello' })
})

test('an empty file is written', async () => {
  expect([await status('POST', '/empty.txt'), await status('PUT', '/a.txt')]).toEqual([200, 200])
  expect(tree()).toEqual({ ...untouched, 'a.txt': '', 'empty.txt': '' })
})

test('missing folders are created', async () => {
  expect(await status('POST', '/p/q/r.txt', 'deep')).toBe(200)
  expect(tree()).toEqual({ ...untouched, 'p/': '', 'p/q/': '', 'p/q/r.txt': 'deep' })
})

test('a taken name is refused without override=true', async () => {
  for (const query of ['', '?override=false', '?override=1', '?override=TRUE', '?override'])
    expect([query, await status('POST', `/a.txt${query}`, 'new')]).toEqual([query, 409])
  expect(tree()).toEqual(untouched)
  expect(await status('POST', '/a.txt?override=true', 'new')).toBe(200)
  expect(await status('POST', '/b.txt?override=true', 'new too')).toBe(200)
  expect(tree()).toEqual({ ...untouched, 'a.txt': 'new', 'b.txt': 'new too' })
})

test('a path with a slash at its end is a folder, and an existing one is accepted', async () => {
  for (const path of ['/box/', '/new/', '/new/', '/p/q/', '/']) expect(await status('POST', path)).toBe(200)
  expect(tree()).toEqual({ ...untouched, 'new/': '', 'p/': '', 'p/q/': '' })
  expect(await status('POST', '/a.txt/')).toBe(409)
  expect(await status('POST', '/a.txt/?override=true')).toBe(409)
  expect(server.file('a.txt')).toBe('old')
})

test.each([
  ['POST', '/box'],
  ['POST', '/box?override=true'],
  ['PUT', '/box'],
])('%s %s does not replace a folder', async (method, path) => {
  expect(await status(method, path, 'file')).toBe(409)
  expect(tree()).toEqual(untouched)
})

test.each([
  ['PUT', '/a.txt'],
  ['POST', '/a.txt?override=true'],
  ['POST', '/new.txt'],
])('%s %s refuses a part of a file, as curl sends it to continue an upload', async (method, path) => {
  for (const part of ['bytes 5-9/10', 'bytes 0-4/10', 'bytes 0-4/*', 'bytes 5-9/*', 'x'])
    expect([part, await status(method, path, 'parts', { 'content-range': part })]).toEqual([part, 400])
  expect(tree()).toEqual(untouched)
  const file = path.slice(1).replace(/\?.*/, '')
  for (const [text, whole] of [
    ['whole', 'bytes 0-4/5'],
    ['', 'bytes 0--1/0'],
  ] as const) {
    expect([whole, await status(method, path, text, { 'content-range': whole })]).toEqual([whole, 200])
    expect(server.file(file)).toBe(text)
    if (path === '/new.txt') rmSync(at(file))
  }
})

test.each(['POST', 'PUT'])('%s below a file is refused', async (method) => {
  for (const path of ['/a.txt/below', '/a.txt/deep/below', '/a.txt/below?override=true'])
    expect([path, await status(method, path, 'x')]).toEqual([path, 404])
  if (method === 'POST') expect(await status('POST', '/a.txt/folder/')).toBe(404)
  expect(tree()).toEqual(untouched)
})

test('only an existing file can be saved', async () => {
  const response = await send('PUT', '/a.txt', 'new')
  expect([response.status, await response.text()]).toEqual([200, '200 OK\n'])
  expect(response.headers.get('etag')).toBe((await send('GET', '/a.txt')).headers.get('etag'))
  for (const path of ['/none.txt', '/none/deep.txt']) expect(await status('PUT', path, 'x')).toBe(404)
  for (const path of ['/a.txt/', '/box/', '/']) expect([path, await status('PUT', path, 'x')]).toEqual([path, 405])
  expect(tree()).toEqual({ ...untouched, 'a.txt': 'new' })
})

test('the second of two editors is refused, because the file has changed', async () => {
  const version = (await send('GET', '/a.txt')).headers.get('etag') ?? ''
  const first = await send('PUT', '/a.txt', 'first', { 'if-match': version })
  expect(first.status).toBe(200)
  const second = await send('PUT', '/a.txt', 'second', { 'if-match': version, accept: 'application/json' })
  expect(second.status).toBe(412)
  expect(await second.json()).toMatchObject({ code: 'changed-meanwhile' })
  expect(server.file('a.txt')).toBe('first')
  expect(await status('PUT', '/a.txt', 'merged', { 'if-match': first.headers.get('etag') ?? '' })).toBe(200)
  expect(server.file('a.txt')).toBe('merged')
})

test('a change by another program is noticed too', async () => {
  const version = (await send('GET', '/a.txt')).headers.get('etag') ?? ''
  server.put({ 'a.txt': 'else' })
  expect(await status('PUT', '/a.txt', 'mine', { 'if-match': version })).toBe(412)
  expect(server.file('a.txt')).toBe('else')
})

test.each<[string, (version: string) => string, number]>([
  ['any version', () => '*', 200],
  ['one of several', (version) => `"other", ${version}`, 200],
  ['another one', () => '"other"', 412],
  ['only a similar one', (version) => `W/${version}`, 412],
  ['one without quotes', (version) => version.slice(1, -1), 412],
  ['none', () => '', 412],
])('a save that demands %s', async (_what, demand, expected) => {
  const version = (await send('GET', '/a.txt')).headers.get('etag') ?? ''
  expect(await status('PUT', '/a.txt', 'new', { 'if-match': demand(version) })).toBe(expected)
  expect(server.file('a.txt')).toBe(expected === 200 ? 'new' : 'old')
})

test('an upload over a file demands its version like a save', async () => {
  const version = (await send('GET', '/a.txt')).headers.get('etag') ?? ''
  const upload = (path: string, ifMatch: string) =>
    status('POST', `${path}?override=true`, 'new', { 'if-match': ifMatch })
  expect([await upload('/a.txt', '"other"'), await upload('/none.txt', version)]).toEqual([412, 404])
  expect(await upload('/none.txt', '*')).toBe(404)
  expect(tree()).toEqual(untouched)
  expect([await upload('/a.txt', version), await upload('/a.txt', version)]).toEqual([200, 412])
  expect(await upload('/a.txt', '*')).toBe(200)
})

test('with If-None-Match: * nothing is replaced', async () => {
  const onlyNew = { 'if-none-match': '*' }
  expect(await status('PUT', '/a.txt', 'new', onlyNew)).toBe(412)
  expect(await status('PUT', '/none.txt', 'new', onlyNew)).toBe(404)
  expect(await status('POST', '/a.txt?override=true', 'new', onlyNew)).toBe(409)
  expect(tree()).toEqual(untouched)
  expect(await status('POST', '/new.txt?override=true', 'new', onlyNew)).toBe(200)
  expect(tree()).toEqual({ ...untouched, 'new.txt': 'new' })
})

test('new files and folders get the default modes', async () => {
  expect(await status('POST', '/p/q.txt', 'x')).toBe(200)
  expect(await status('POST', '/folder/')).toBe(200)
  expect([modeOf(at('p')), modeOf(at('folder')), modeOf(at('p/q.txt'))]).toEqual([
    withoutUmask(0o750),
    withoutUmask(0o750),
    withoutUmask(0o640),
  ])
})

test('the modes of new files and folders are settings', async () => {
  const strict = await startServer({ settings: { fileMode: 0o600, dirMode: 0o700 } })
  try {
    await strict.addUser('bob')
    const bob = await strict.as('bob')
    expect(await statusOf(bob('/api/resources/p/q.txt', { method: 'POST', body: 'x' }))).toBe(200)
    expect([modeOf(join(strict.root, 'p')), modeOf(join(strict.root, 'p/q.txt'))]).toEqual(['700', '600'])
  } finally {
    await strict.stop()
  }
})

test('a save keeps the mode without the setuid bit', async () => {
  chmodSync(at('a.txt'), 0o4751)
  expect(await status('PUT', '/a.txt', 'new')).toBe(200)
  expect(modeOf(at('a.txt'))).toBe('751')
  chmodSync(at('a.txt'), 0o604)
  expect(await status('POST', '/a.txt?override=true', 'newer')).toBe(200)
  expect(modeOf(at('a.txt'))).toBe('604')
})

test('a save changes all hard links of a file', async () => {
  linkSync(at('a.txt'), at('box/same.txt'))
  expect(await status('PUT', '/a.txt', 'both')).toBe(200)
  expect([server.file('box/same.txt'), statSync(at('a.txt')).nlink]).toEqual(['both', 2])
})

test('folders created for a refused file are removed again', async () => {
  const long = 'n'.repeat(256)
  expect(await status('POST', `/p/q/${long}`, 'x')).toBe(400)
  expect(await status('POST', `/p/${long}/r.txt`, 'x')).toBe(400)
  expect(await status('POST', `/box/s/${long}/`)).toBe(400)
  expect(tree()).toEqual(untouched)
})

test('a body without a length arrives complete', async () => {
  const pieces = ['one ', 'two ', 'three'].map((text) => new TextEncoder().encode(text))
  const body = new ReadableStream({
    async pull(controller) {
      const piece = pieces.shift()
      await new Promise(setImmediate)
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
  })
  expect(await status('POST', '/streamed.txt', body)).toBe(200)
  expect(server.file('streamed.txt')).toBe('one two three')

  const head = `PUT /api/resources/a.txt HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-auth: ${token}\r\n`
  const chunks = '4;ext=1\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n'
  const answer = await sendBytes(server.url, `${head}transfer-encoding: chunked\r\n\r\n${chunks}`)
  expect([answer.status, server.file('a.txt')]).toEqual([200, 'Wikipedia'])
})

test('a large body arrives byte for byte', async () => {
  const bytes = randomBytes(20_000_000)
  expect(await status('POST', '/large.bin', bytes)).toBe(200)
  const hash = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
  expect(hash(readFileSync(at('large.bin')))).toBe(hash(bytes))
})

test.each([
  ['POST', `/${draftPrefix}x`],
  ['POST', `/${draftPrefix}x/`],
  ['POST', `/box/${draftPrefix}x/y.txt`],
  ['PUT', `/${draftPrefix}x`],
  ['DELETE', `/${draftPrefix}x`],
  ['PATCH', `/a.txt?action=rename&destination=%2F${draftPrefix}x`],
  ['PATCH', `/a.txt?action=copy&destination=%2Fbox%2F${draftPrefix}x%2Fy`],
  ['PATCH', `/${draftPrefix}x?action=copy&destination=%2Fb.txt`],
])('%s %s: the names of drafts are reserved', async (method, path) => {
  server.put({ [`${draftPrefix}x`]: 'draft' })
  expect(await status(method, path, method === 'POST' || method === 'PUT' ? 'x' : null)).toBe(403)
  expect(tree()).toEqual({ ...untouched, [`${draftPrefix}x`]: 'draft' })
})
