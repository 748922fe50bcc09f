import { beforeEach, expect, test } from 'bun:test'

const kept = new Map<string, string>()
const heard = new EventTarget()
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
}
Object.assign(globalThis, { window: heard, localStorage: storage })
const { startSettings } = await import('./start-settings.ts')
const { call, getJson } = await import('./client.ts')
const { adoptToken, currentSession, forgetSession, renew, resumeSession } = await import('./session.ts')

/** What the server was asked, and what it answers next. */
let asked: string[] = []
let answers: (Response | Error)[] = []
globalThis.fetch = Object.assign(
  async (address: string | URL | Request, init?: RequestInit) => {
    asked.push(`${init?.method} ${address} ${new Headers(init?.headers).get('x-auth') ?? ''}`.trim())
    const answer = answers.shift() ?? new Response('')
    if (answer instanceof Error) throw answer
    return answer
  },
  { preconnect: () => {} },
)

const tokenOf = (id: number, { iat = 1000, exp = 8200 } = {}): string =>
  `x.${Buffer.from(JSON.stringify({ user: { id }, iat, exp })).toString('base64url')}.x`
const refusal = () => new Response('401', { status: 401 })

beforeEach(() => {
  startSettings.LoginPage = true
  asked = []
  answers = []
  forgetSession()
})

test('where people sign in by hand, a refused token is forgotten', async () => {
  adoptToken(tokenOf(1))
  answers = [refusal()]
  await expect(call('GET', 'resources/')).rejects.toThrow()
  expect([currentSession(), kept.get('jwt'), asked.length]).toEqual([null, undefined, 1])
})

test('where nobody signs in by hand, a refused token is replaced and the call made again', async () => {
  startSettings.LoginPage = false
  adoptToken(tokenOf(1))
  answers = [refusal(), new Response(tokenOf(2)), new Response('there')]
  expect(await (await call('PUT', 'resources/a.txt', { body: 'a' })).text()).toBe('there')
  expect(asked).toEqual([
    `PUT /api/resources/a.txt ${tokenOf(1)}`,
    'POST /api/login',
    `PUT /api/resources/a.txt ${tokenOf(2)}`,
  ])
})

test('a second refusal is the answer', async () => {
  startSettings.LoginPage = false
  adoptToken(tokenOf(1))
  answers = [refusal(), new Response(tokenOf(2)), refusal()]
  await expect(call('GET', 'users')).rejects.toThrow()
  expect(asked.length).toBe(3)
})

test('a late refusal of an old token does not end the session that has begun since', async () => {
  adoptToken(tokenOf(1))
  const late = Promise.withResolvers<Response>()
  answers = [late.promise as unknown as Response, new Response('fine')]
  const calling = call('GET', 'usage/')
  adoptToken(tokenOf(2))
  late.resolve(refusal())
  expect(await (await calling).text()).toBe('fine')
  expect(currentSession()?.user.id).toBe(2)
})

test('a renewed token that comes late does not bring back who has signed out', async () => {
  adoptToken(tokenOf(1))
  const late = Promise.withResolvers<Response>()
  answers = [late.promise as unknown as Response]
  const renewing = renew()
  forgetSession()
  adoptToken(tokenOf(2))
  late.resolve(new Response(tokenOf(1, { exp: 9999 })))
  await renewing
  expect(currentSession()?.user.id).toBe(2)
})

test('an answer that breaks off is a lost connection', async () => {
  const broken = new ReadableStream({ start: (stream) => stream.error(new TypeError('network error')) })
  answers = [new Response(broken)]
  await expect(getJson('resources/')).rejects.toMatchObject({ name: 'ApiError', status: 0 })
})

test('a server that cannot be reached at the start has refused nobody', async () => {
  kept.set('jwt', tokenOf(3))
  answers = [new TypeError('no network')]
  await resumeSession()
  expect(currentSession()?.user.id).toBe(3)

  answers = [refusal()]
  await resumeSession()
  expect([currentSession(), kept.get('jwt')]).toEqual([null, undefined])
})

test('a proxy whose server is being restarted has refused nobody, and its page is no message', async () => {
  startSettings.LoginPage = false
  const proxyPage = () => new Response('<html>502 Bad Gateway</html>', { status: 502 })
  adoptToken(tokenOf(1))
  answers = [refusal(), proxyPage()]
  await expect(call('GET', 'users')).rejects.toThrow()
  expect(currentSession()?.user.id).toBe(1)
  answers = [proxyPage()]
  await expect(getJson('users')).rejects.toMatchObject({ status: 0, message: '502 No connection' })
  answers = [Response.json({ code: 'unavailable', message: 'The disk is away' }, { status: 503 })]
  await expect(getJson('users')).rejects.toMatchObject({ status: 503, code: 'unavailable' })
})

test('what another tab renews or ends is renewed or ended here', () => {
  adoptToken(tokenOf(1))
  const say = (newValue: string | null) =>
    heard.dispatchEvent(Object.assign(new Event('storage'), { key: 'jwt', newValue }))
  say(tokenOf(1, { exp: 9999 }))
  expect(currentSession()?.token).toBe(tokenOf(1, { exp: 9999 }))
  say(null)
  expect(currentSession()).toBeNull()
})

test('how long a session lasts is counted on the clock of the browser, whatever that shows', () => {
  adoptToken(tokenOf(1, { iat: 1000, exp: 8200 }))
  const left = (currentSession()?.expires ?? 0) - Date.now() / 1000
  expect(Math.round(left / 60)).toBe(120)
})
