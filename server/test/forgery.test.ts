import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { tokensSignedWith } from '../src/sessions/tokens.ts'
import { signingKey } from '../src/settings/settings.ts'
import { accountNamed } from '../src/users/store.ts'
import { claimsIn, encodePart, headerOf } from './jwt.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
await server.addUser('admin', { isAdmin: true })
const token = await server.signIn('alice')
const adminToken = await server.signIn('admin')
afterAll(() => server.stop())

const [head = '', payload = '', signature = ''] = token.split('.')
const claims = claimsIn(token) as { sid: string; user: object }
const asAdmin = encodePart({ ...claims, sid: claimsIn(adminToken).sid })

/** A token for any session, signed with any key. */
async function sign(key: Uint8Array, sessionId: string, expiresAt = server.clock.now + 60): Promise<string> {
  const account = await accountNamed(server.app.deps.db, 'alice')
  if (account === undefined) throw new Error('alice is missing')
  return (await tokensSignedWith(key)).sign(account.user, { sessionId, issuedAt: server.clock.now, expiresAt })
}

const statusWith = async (forged: string) =>
  (await server.ask('/api/resources/', { headers: { 'x-auth': forged } })).status

test('the genuine token is accepted', async () => {
  expect(await statusWith(token)).toBe(200)
  expect(await statusWith(await sign(await signingKey(server.app.deps.db), claims.sid))).toBe(200)
})

test.each([
  ['without a signature', `${head}.${payload}.`],
  ['with the algorithm none', `${encodePart({ alg: 'none', typ: 'JWT' })}.${payload}.`],
  ['with the algorithm none and a signature', `${encodePart({ alg: 'none', typ: 'JWT' })}.${payload}.${signature}`],
  ['with the algorithm nOnE', `${encodePart({ alg: 'nOnE' })}.${payload}.`],
  ['with another algorithm', `${encodePart({ ...headerOf(token), alg: 'HS512' })}.${payload}.${signature}`],
  ["with the administrator's session", `${head}.${asAdmin}.${signature}`],
  ['with a later end', `${head}.${encodePart({ ...claims, exp: server.clock.now + 1e6 })}.${signature}`],
  ['with a changed user', `${head}.${encodePart({ ...claims, user: { ...claims.user, id: 2 } })}.${signature}`],
  ['with a changed signature', `${head}.${payload}.${signature.slice(0, -2)}AA`],
  ['with a foreign signature', `${head}.${payload}.${adminToken.split('.')[2]}`],
  ['made of nothing', '..'],
  ['made of junk', 'a.b.c'],
  ['made of null', `${encodePart(null)}.${encodePart(null)}.${encodePart(null)}`],
  ['that is very long', `${head}.${'A'.repeat(6000)}.${signature}`],
])('a token %s is refused', async (_what, forged) => {
  expect(await statusWith(forged)).toBe(401)
})

test('a token signed with another key is refused', async () => {
  expect(await statusWith(await sign(randomBytes(64), claims.sid))).toBe(401)
  expect(await statusWith(await sign(new Uint8Array(64), claims.sid))).toBe(401)
})

test('a well signed token of a session that does not exist is refused', async () => {
  const key = await signingKey(server.app.deps.db)
  for (const session of ['', 'none', `${claims.sid} `, claims.sid.toLowerCase().replace(/^./, '_')])
    expect(await statusWith(await sign(key, session))).toBe(401)
})

test('a token is refused after its own expiry and after the end of its session', async () => {
  const key = await signingKey(server.app.deps.db)
  expect(await statusWith(await sign(key, claims.sid, server.clock.now))).toBe(401)
  const longer = await sign(key, claims.sid, server.clock.now + 1e6)
  expect(await statusWith(longer)).toBe(200)
  server.clock.now += 7200
  expect(await statusWith(longer)).toBe(401)
})

test('the claims of a token do not extend the permissions of its session', async () => {
  server.clock.now -= 7200
  const claiming = await server.ask('/api/users', { headers: { 'x-auth': token } })
  expect(claiming.status).toBe(403)
})
