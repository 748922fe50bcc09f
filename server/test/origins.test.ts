import { afterAll, expect, test } from 'bun:test'
import { password, startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
const token = await server.signIn('alice')
server.put({ 'a.txt': 'a' })
afterAll(() => server.stop())

const foreign = { origin: 'https://evil.example', 'access-control-request-method': 'PUT' }
const login = JSON.stringify({ username: 'alice', password })

test.each([
  ['GET', '/', {}],
  ['GET', '/health', {}],
  ['GET', '/api/resources/', { 'x-auth': token }],
  ['GET', '/api/raw/a.txt', { 'x-auth': token }],
  ['GET', '/api/raw/a.txt', { cookie: `auth=${token}` }],
  ['GET', '/api/raw/none', { 'x-auth': token }],
  ['GET', '/api/resources/', {}],
  ['OPTIONS', '/api/resources/', {}],
  ['OPTIONS', '/api/login', {}],
  ['POST', '/api/login', {}],
] as [string, string, Record<string, string>][])(
  '%s %s shares nothing with other origins',
  async (method, path, headers) => {
    const body = method === 'POST' ? login : null
    const response = await server.ask(path, { method, body, headers: { ...headers, ...foreign } })
    const shared = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
    expect(shared).toEqual([])
    if (method === 'OPTIONS') expect(response.status).toBe(405)
    await response.arrayBuffer()
  },
)
