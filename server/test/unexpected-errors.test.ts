import { afterAll, expect, test } from 'bun:test'
import { password, startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
const alice = await server.as('alice')
afterAll(() => server.stop())

test('an unexpected error is logged and hidden from the client', async () => {
  await server.app.deps.db.schema.dropTable('session').execute()
  const signIn = (headers: Record<string, string>) =>
    server.ask('/api/login', { method: 'POST', headers, body: JSON.stringify({ username: 'alice', password }) })

  for (const response of [await signIn({}), await alice('/api/resources/')]) {
    expect([response.status, await response.text()]).toEqual([500, '500 Internal Server Error\n'])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  }
  const problem = (await (await signIn({ accept: 'application/json' })).json()) as { code: string; message: string }
  expect(problem.code).toBe('internal')
  expect(problem.message).not.toContain('session')

  const log = Bun.inspect(server.logged, { depth: 9 })
  expect(log).toMatch(/no such table: session|relation "session" does not exist/)
  expect(log).not.toContain(password)
  expect((await server.ask('/health')).status).toBe(200)
})
