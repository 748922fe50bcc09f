import { afterEach, expect, test } from 'bun:test'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AuthSettings, permissionNames, type Settings, type TokenUser } from '@filestead/contract'
import { throttleIn } from '../src/access/throttle.ts'
import { Failure } from '../src/failure.ts'
import { saveDocument } from '../src/settings/store.ts'
import { claimsIn } from './jwt.ts'
import { until } from './process.ts'
import { password, startServer, type TestServer } from './server.ts'

let server: TestServer
afterEach(() => server.stop())

const everything = Object.fromEntries(permissionNames.map((name) => [name, true]))

async function start(
  settings: Partial<Settings>,
  auth: Partial<AuthSettings> = {},
  flags: Parameters<typeof startServer>[0] = {},
) {
  server = await startServer({ ...flags, settings })
  await saveDocument(server.app.deps.db, 'auth', auth)
}

const logIn = (body: unknown, headers: Record<string, string> = {}) =>
  server.ask('/api/login', { method: 'POST', body: JSON.stringify(body), headers })

/** A sign-in program of the administrator. */
function program(script: string): string {
  const path = join(server.root, '..', 'hook.sh')
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

const userOf = async (response: Response) => claimsIn(await response.text()).user as TokenUser

test('noauth: every request is signed in as the first user', async () => {
  await start({ authMethod: 'noauth' })
  await server.addUser('first')
  const response = await server.ask('/api/login', { method: 'POST' })
  expect(response.status).toBe(200)
  expect((await userOf(response)).username).toBe('first')
})

test('proxy: the header counts only from a trusted proxy', async () => {
  await start({ authMethod: 'proxy' }, { header: 'X-Remote-User' })
  await server.addUser('admin', { isAdmin: true })
  expect((await logIn({}, { 'X-Remote-User': 'admin' })).status).toBe(403)
  await server.stop()

  await start({ authMethod: 'proxy' }, { header: 'X-Remote-User' }, { trustedProxies: '127.0.0.1' })
  await server.addUser('admin', { isAdmin: true })
  const response = await logIn({}, { 'X-Remote-User': 'admin' })
  expect(response.status).toBe(200)
  expect((await userOf(response)).perm.admin).toBe(true)
  for (const headers of [{}, { 'X-Remote-User': '' }, { 'X-Remote-User': '  ' }] as Record<string, string>[])
    expect((await logIn({}, headers)).status).toBe(403)
})

test('proxy: an unknown name gets an account with its own home, if configured', async () => {
  const defaults = { perm: everything } as Settings['defaults']
  await start({ authMethod: 'proxy', defaults }, { header: 'X-Remote-User' }, { trustedProxies: '127.0.0.1' })
  const user = await userOf(await logIn({}, { 'X-Remote-User': 'newcomer' }))
  expect(user).toMatchObject({ username: 'newcomer', lockPassword: true, perm: { admin: false, execute: false } })
  const listing = await server.ask('/api/resources/', {
    headers: { 'x-auth': await (await logIn({}, { 'X-Remote-User': 'newcomer' })).text() },
  })
  expect(await listing.json()).toMatchObject({ items: [] })
  await server.stop()

  await start({ authMethod: 'proxy' }, { header: 'X-Remote-User', createUsers: false }, { trustedProxies: '127.0.0.1' })
  expect((await logIn({}, { 'X-Remote-User': 'newcomer' })).status).toBe(403)
})

test('proxy: an expired token works only while the proxy names the same user', async () => {
  const settings = { authMethod: 'proxy' as const, logoutPage: 'https://sso.example/logout' }
  await start(settings, { header: 'X-Remote-User' }, { trustedProxies: '127.0.0.1' })
  await server.addUser('alice')
  await server.addUser('bob')
  const token = await (await logIn({}, { 'X-Remote-User': 'alice' })).text()
  server.clock.now += 3 * 3600
  const list = (headers: Record<string, string>) =>
    server.ask('/api/resources/', { headers: { 'x-auth': token, ...headers } })
  expect((await list({})).status).toBe(401)
  expect((await list({ 'X-Remote-User': 'bob' })).status).toBe(401)
  expect((await list({ 'X-Remote-User': 'alice' })).status).toBe(200)
  await server.ask('/api/logout', { method: 'POST', headers: { 'x-auth': token, 'X-Remote-User': 'alice' } })
  expect((await list({ 'X-Remote-User': 'alice' })).status).toBe(401)
})

test('hook: the program gets the credentials without a shell', async () => {
  await start({ authMethod: 'hook' })
  await server.addUser('$(touch pwned)')
  const command = program(
    `cat > ${server.root}/input; echo "$USERNAME|$PASSWORD" > ${server.root}/heard; echo hook.action=pass`,
  )
  await saveDocument(server.app.deps.db, 'auth', { command })
  expect((await logIn({ username: '$(touch pwned)', password })).status).toBe(200)
  expect(server.file('heard').trim()).toBe(`$(touch pwned)|${password}`)
  expect(JSON.parse(server.file('input'))).toEqual({ username: '$(touch pwned)', password })
  expect((await logIn({ username: '$(touch pwned)', password: 'wrong' })).status).toBe(403)
})

test('hook: the program can refuse, and a malformed answer refuses', async () => {
  await start({ authMethod: 'hook' })
  await server.addUser('alice')
  for (const [script, status] of [
    ['echo hook.action=block', 403],
    ['echo hook.action=maybe', 500],
    ['true', 500],
    ['echo hook.action=auth; exit 3', 500],
  ] as const) {
    await saveDocument(server.app.deps.db, 'auth', { command: program(script) })
    expect((await logIn({ username: 'alice', password })).status).toBe(status)
  }
  await saveDocument(server.app.deps.db, 'auth', { command: '/does/not/exist' })
  expect((await logIn({ username: 'alice', password })).status).toBe(500)
})

test('hook: a password that the program accepts need not be as long as those that are set here', async () => {
  await start({ authMethod: 'hook' })
  await saveDocument(server.app.deps.db, 'auth', { command: program('echo hook.action=auth') })
  for (const short of ['tiny', 'small']) {
    expect((await logIn({ username: 'newcomer', password: short })).status).toBe(200)
    await server.app.deps.db.updateTable('session').set({ expires_at: 0 }).execute()
  }
  expect((await logIn({ username: 'other', password: '' })).status).not.toBe(200)
})

test('hook: the program creates accounts and changes only the fields that it names', async () => {
  const defaults = { perm: everything } as Settings['defaults']
  await start({ authMethod: 'hook', defaults })
  await saveDocument(server.app.deps.db, 'auth', {
    command: program(
      'printf "hook.action=auth\\r\\nuser.locale=fr\\nuser.perm.delete=false\\nnoise\\nuser.unknown=1\\n"',
    ),
  })
  const user = await userOf(await logIn({ username: 'newcomer', password }))
  expect(user).toMatchObject({
    locale: 'fr',
    lockPassword: true,
    perm: { delete: false, create: true, execute: false, admin: false },
  })

  await server.addUser('alice', {
    aceEditorTheme: 'dark',
    rules: [{ regex: false, allow: false, path: '/x', regexp: null }],
  })
  const alice = await userOf(await logIn({ username: 'alice', password: 'a new password for alice' }))
  expect(alice).toMatchObject({ locale: 'fr', aceEditorTheme: 'dark', lockPassword: true })
  const stored = await server.app.deps.db
    .selectFrom('user')
    .selectAll()
    .where('username', '=', 'alice')
    .executeTakeFirstOrThrow()
  expect(JSON.parse(stored.profile).rules).toHaveLength(1)
})

test.each([
  ['a\u0000b', 'x'],
  ['alice', 'x\u0000y'],
  ['al\nice', 'x'],
  ['al\u001bice', 'x'],
  ['\u202eecila', 'x'],
])('hook: no program is started for %j with %j', async (username, secret) => {
  await start({ authMethod: 'hook' })
  await saveDocument(server.app.deps.db, 'auth', {
    command: program(`touch ${server.root}/started; echo hook.action=auth`),
  })
  expect((await logIn({ username, password: secret })).status).toBe(403)
  expect(existsSync(join(server.root, 'started'))).toBe(false)
})

test('hook: few programs run at once, and few requests wait', async () => {
  await start({ authMethod: 'hook' })
  const [log, go] = [join(server.root, 'log'), join(server.root, 'go')]
  writeFileSync(log, '')
  const command = program(`echo >> ${log}; until [ -e ${go} ]; do sleep 0.05; done; echo hook.action=block`)
  await saveDocument(server.app.deps.db, 'auth', { command })
  const started = () => readFileSync(log, 'utf8').length
  let refused = 0
  const answers = Array.from({ length: 24 }, async (_, count) => {
    const answer = await logIn({ username: `name ${count}`, password })
    if (answer.status === 503) refused += 1
    return [answer.status, answer.headers.has('retry-after')]
  })
  await until(() => started() === 2 && refused === 14)
  expect([started(), refused]).toEqual([2, 14])
  writeFileSync(go, '')
  const statuses = await Promise.all(answers)
  expect(statuses.filter(([status]) => status === 403)).toHaveLength(10)
  expect(statuses.filter(([status, isTimed]) => status === 503 && isTimed)).toHaveLength(14)
  expect(started()).toBe(10)
}, 120_000)

test('hook: after wrong names from one network no more programs are started', async () => {
  await start({ authMethod: 'hook' })
  await server.addUser('alice')
  const command = program(`echo >> ${server.root}/log; echo hook.action=pass`)
  await saveDocument(server.app.deps.db, 'auth', { command })
  await server.signIn('alice')
  await spray(50)
  expect((await logIn({ username: 'another', password })).status).toBe(429)
  expect(server.file('log')).toBe('\n')
  expect((await logIn({ username: 'alice', password })).status).toBe(200)
})

test('the captcha is checked before the password, and its host comes from the command line', async () => {
  const asked: string[] = []
  const service = Bun.serve({
    port: 0,
    async fetch(request) {
      const form = await request.formData()
      asked.push(`${new URL(request.url).pathname} ${form.get('secret')} ${form.get('response')}`)
      return Response.json({ success: form.get('response') === 'human' })
    },
  })
  try {
    await start(
      {},
      { recaptcha: { host: `http://127.0.0.1:${service.port}`, key: 'public', secret: 'unshown-secret' } },
    )
    await server.addUser('alice')
    expect((await logIn({ username: 'alice', password, recaptcha: 'robot' })).status).toBe(403)
    expect((await logIn({ username: 'alice', password, recaptcha: 'human' })).status).toBe(200)
    expect(asked).toEqual([
      '/recaptcha/api/siteverify unshown-secret robot',
      '/recaptcha/api/siteverify unshown-secret human',
    ])
    const page = await (await server.ask('/login')).text()
    expect(page).toContain('"ReCaptchaKey":"public"')
    expect(page).not.toContain('unshown-secret')
  } finally {
    service.stop(true)
  }
})

test('ten wrong passwords in a row delay the next attempt', async () => {
  await start({})
  await server.addUser('alice')
  const statuses: number[] = []
  for (let count = 0; count < 11; count += 1)
    statuses.push((await logIn({ username: 'alice', password: 'wrong' })).status)
  expect(statuses).toEqual([...Array(10).fill(403), 429])
  const refused = await logIn({ username: 'alice', password })
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBe(30)
  server.clock.now += 31
  expect((await logIn({ username: 'alice', password })).status).toBe(200)
}, 120_000)

/** Stores failed attempts for so many names, without hashing passwords. */
async function spray(names: number, address = '127.0.0.1'): Promise<void> {
  const throttle = throttleIn(server.app.deps)
  const from = { address, isShared: false, claimed: '' }
  const wrong = () => Promise.reject(new Failure('wrong-credentials', 'Wrong credentials'))
  for (let count = 0; count < names; count += 1)
    await throttle.guard({ kind: 'login', of: `sprayed ${count}`, from }, wrong).catch(() => {})
}

test('one password tried on many names is throttled, and known users in that network are not', async () => {
  await start({})
  await server.addUser('alice')
  await server.signIn('alice')
  await spray(49)
  expect((await logIn({ username: 'the last', password: 'wrong' })).status).toBe(403)
  const refused = await logIn({ username: 'one more', password: 'wrong' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '12'])
  // A known and an unknown user get the same answer to a wrong password.
  expect((await logIn({ username: 'alice', password: 'wrong' })).status).toBe(429)
  expect((await logIn({ username: 'alice', password })).status).toBe(200)
  server.clock.now += 13
  expect((await logIn({ username: 'one more', password: 'wrong' })).status).toBe(403)
}, 120_000)

/** Signs in from another address of this machine. */
const logInFrom = (localAddress: string, body: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    let answer = ''
    const socket = connect({ host: hostname, port: Number(port), localAddress }, () =>
      socket.write(
        `POST /api/login HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      ),
    )
    socket.on('data', (piece) => {
      answer += piece
    })
    socket.on('error', reject).on('close', () => resolve(answer.split(' ')[1] ?? ''))
  })

test('many wrong passwords from one address are throttled, and sign-ins from others work', async () => {
  await start({})
  await server.addUser('alice')
  let checked = 0
  const flood = Array.from({ length: 80 }, async (_, count) => {
    const answer = await logIn({ username: `guess ${count}`, password: 'wrong' })
    if (answer.status === 403) checked += 1
    return answer
  })
  await Bun.sleep(0)
  expect(await logInFrom('127.0.0.2', JSON.stringify({ username: 'alice', password }))).toBe('200')
  expect(checked).toBeLessThan(12)
  const refused = (await Promise.all(flood)).filter(({ status }) => status !== 403)
  expect(refused.length).toBeGreaterThan(30)
  for (const { status, headers } of refused) {
    expect(status).toBeOneOf([429, 503])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
}, 120_000)

test('behind a proxy that is not trusted, one visitor locks no account for the others', async () => {
  await start({})
  await server.addUser('alice')
  const from = (address: string, secret: string) =>
    logIn({ username: 'alice', password: secret }, { 'x-forwarded-for': address })
  const statuses: number[] = []
  for (let count = 0; count < 11; count += 1) statuses.push((await from('6.6.6.6', 'wrong')).status)
  expect(statuses).toEqual([...Array(10).fill(403), 429])
  expect((await from('198.51.100.7', password)).status).toBe(200)
  expect(server.logged.filter((entry) => JSON.stringify(entry).includes('share one address'))).toHaveLength(1)
}, 120_000)

test('guesses with forged addresses are throttled', async () => {
  await start({})
  await server.addUser('alice')
  const statuses: number[] = []
  for (let count = 0; count < 11; count += 1)
    statuses.push(
      (await logIn({ username: 'alice', password: 'wrong' }, { 'x-forwarded-for': `6.6.6.${count}` })).status,
    )
  expect(statuses).toEqual([...Array(10).fill(403), 429])
}, 120_000)

test.each(['unix', '127.0.0.1'])(
  'on a unix socket, --trustedProxies %s trusts the proxy at its other end',
  async (trustedProxies) => {
    const socket = join(tmpdir(), `filestead-test-${process.pid}.sock`)
    const nowhere = { address: undefined, port: undefined } as unknown as { address: string; port: number }
    await start({}, {}, { ...nowhere, socket, trustedProxies })
    await server.addUser('alice')
    const from = (address: string, secret: string) =>
      fetch('http://localhost/api/login', {
        unix: socket,
        method: 'POST',
        body: JSON.stringify({ username: 'alice', password: secret }),
        headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
      })
    for (let count = 0; count < 10; count += 1) await from('6.6.6.6', 'wrong')
    expect((await from('6.6.6.6', password)).status).toBe(429)
    const answer = await from('198.51.100.7', password)
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Secure')])
    const [session] = await server.app.deps.db.selectFrom('session').select('address').execute()
    expect(session?.address).toBe('198.51.100.7')
  },
  120_000,
)

test('on a unix socket without a trusted proxy, guesses lock out no known user, and wait in the queue', async () => {
  const socket = join(tmpdir(), `filestead-test-${process.pid}.sock`)
  const nowhere = { address: undefined, port: undefined } as unknown as { address: string; port: number }
  await start({}, {}, { ...nowhere, socket })
  await server.addUser('alice')
  const enter = (username: string, secret: string) =>
    fetch('http://localhost/api/login', {
      unix: socket,
      method: 'POST',
      body: JSON.stringify({ username, password: secret }),
    })
  expect((await enter('alice', password)).status).toBe(200)
  await spray(50, '')
  expect((await enter('stranger', 'wrong')).status).toBe(429)
  expect((await enter('alice', password)).status).toBe(200)
  server.clock.now += 1200
  const flood = await Promise.all(Array.from({ length: 60 }, (_, count) => enter(`guess ${count}`, 'wrong')))
  expect(flood.filter(({ status }) => status === 503).length).toBeGreaterThan(10)
}, 120_000)

test('a read-only server allows reading and no changes, with any permissions', async () => {
  await start({}, {}, { readOnly: true })
  server.put({ 'a.txt': 'old' })
  await server.addUser('alice')
  const alice = await server.as('alice')
  expect((await alice('/api/raw/a.txt')).status).toBe(200)
  expect((await alice('/api/resources/a.txt', { method: 'PUT', body: 'new' })).status).toBe(403)
  expect((await alice('/api/resources/b.txt', { method: 'POST', body: 'new' })).status).toBe(403)
  expect((await alice('/api/resources/a.txt', { method: 'DELETE' })).status).toBe(403)
  expect(server.file('a.txt')).toBe('old')
})

test('one network has a few captchas checked at once, and none without an answer', async () => {
  let [atOnce, most, asked] = [0, 0, 0]
  const service = Bun.serve({
    port: 0,
    async fetch() {
      asked += 1
      atOnce += 1
      most = Math.max(most, atOnce)
      // As slow as services are.
      await Bun.sleep(20)
      atOnce -= 1
      return Response.json({ success: false })
    },
  })
  try {
    await start(
      {},
      { recaptcha: { host: `http://127.0.0.1:${service.port}`, key: 'public', secret: 'unshown-secret' } },
    )
    const answers = [...Array<string>(20).fill('robot'), '']
    const tries = answers.map((recaptcha) => logIn({ username: 'alice', password, recaptcha }))
    expect(new Set((await Promise.all(tries)).map(({ status }) => status))).toEqual(new Set([403]))
    expect([asked, most]).toEqual([20, 4])
  } finally {
    service.stop(true)
  }
})
