import { beforeEach, expect, mock, setSystemTime, test } from 'bun:test'

const kept = new Map<string, string>()
const heard = new EventTarget()

/** Its keys are its own properties, as with a Storage. */
const storageOver = (held: Map<string, string>) =>
  new Proxy(
    {
      getItem: (key: string) => held.get(key) ?? null,
      setItem: (key: string, value: string) => void held.set(key, value),
      removeItem: (key: string) => void held.delete(key),
    },
    {
      ownKeys: () => [...held.keys()],
      getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true }),
    },
  )
const sessionStorage = storageOver(new Map())
Object.assign(globalThis, { window: heard, localStorage: storageOver(kept), sessionStorage })
const { startSettings } = await import('./start-settings.ts')
const { call, forgetEarly, getJson, sendEarly } = await import('./client.ts')
const { sessionSignal } = await import('../state/session-scope.ts')
const { onPersonLeft, personalItem } = await import('../state/personal-storage.ts')
const {
  adoptStoredToken,
  adoptToken,
  amendUser,
  currentSession,
  enterAsGuest,
  forgetSession,
  isGuest,
  isOthersAddress,
  renew,
  resumeSession,
  signOut,
} = await import('./session.ts')

/** What the server was asked, and what it answers next. */
let asked: string[] = []
let answers: (Response | Error)[] = []
let silent = false
globalThis.fetch = Object.assign(
  async (address: string | URL | Request, init?: RequestInit) => {
    asked.push(`${init?.method} ${address} ${new Headers(init?.headers).get('x-auth') ?? ''}`.trim())
    const answer = silent ? new Promise<never>(() => {}) : (answers.shift() ?? new Response(''))
    if (answer instanceof Error) throw answer
    const { signal } = init ?? {}
    if (signal == null) return answer
    signal.throwIfAborted()
    const broken = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return Promise.race([answer, broken])
  },
  { preconnect: () => {} },
)

const tokenOf = (id: number, { iat = 1000, exp = 8200, sid = `of ${id}` } = {}): string =>
  `x.${Buffer.from(JSON.stringify({ user: { id }, sid, iat, exp })).toString('base64url')}.x`
const refusal = () => new Response('401', { status: 401 })

beforeEach(() => {
  startSettings.LoginPage = true
  delete startSettings.Guests
  asked = []
  answers = []
  silent = false
  void forgetSession()
  kept.clear()
})

test('with a login page, a refused token is forgotten', async () => {
  adoptToken(tokenOf(1))
  answers = [refusal()]
  await expect(call('GET', 'resources/')).rejects.toThrow()
  expect([currentSession(), kept.get('jwt'), asked.length]).toEqual([null, undefined, 1])
})

test('without a login page, a refused token is replaced and the call made again', async () => {
  startSettings.LoginPage = false
  adoptToken(tokenOf(1))
  const another = tokenOf(1, { sid: 'another' })
  answers = [refusal(), new Response(another), new Response('there')]
  expect(await (await call('PUT', 'resources/a.txt', { body: 'a' })).text()).toBe('there')
  expect(asked).toEqual([
    `PUT /api/resources/a.txt ${tokenOf(1)}`,
    'POST /api/login',
    `PUT /api/resources/a.txt ${another}`,
  ])
})

test('where another system signs another user in, the call is not made again in their name', async () => {
  startSettings.LoginPage = false
  adoptToken(tokenOf(1))
  answers = [refusal(), new Response(tokenOf(2))]
  await expect(call('DELETE', 'resources/a.txt')).rejects.toMatchObject({ name: 'AbortError' })
  expect(asked).toEqual([`DELETE /api/resources/a.txt ${tokenOf(1)}`, 'POST /api/login'])
  expect(currentSession()?.user.id).toBe(2)
})

test('a second refusal is the answer', async () => {
  startSettings.LoginPage = false
  adoptToken(tokenOf(1))
  answers = [refusal(), new Response(tokenOf(1, { sid: 'another' })), refusal()]
  await expect(call('GET', 'users')).rejects.toThrow()
  expect(asked.length).toBe(3)
})

test('a late refusal of a token that was renewed meanwhile is asked again with the new one', async () => {
  adoptToken(tokenOf(1))
  const late = Promise.withResolvers<Response>()
  answers = [late.promise as unknown as Response, new Response('fine')]
  const calling = call('GET', 'usage/')
  const renewed = tokenOf(1, { exp: 9999 })
  adoptToken(renewed)
  late.resolve(refusal())
  expect(await (await calling).text()).toBe('fine')
  expect(asked.at(-1)).toBe(`GET /api/usage/ ${renewed}`)
})

test('a late refusal of an old session neither ends the next one nor is asked again in it', async () => {
  for (const next of [tokenOf(2), tokenOf(1, { sid: 'signed in again' })]) {
    adoptToken(tokenOf(1))
    asked = []
    const late = Promise.withResolvers<Response>()
    answers = [late.promise as unknown as Response]
    const calling = call('DELETE', 'resources/a.txt')
    adoptToken(next)
    late.resolve(refusal())
    await expect(calling).rejects.toMatchObject({ name: 'AbortError' })
    expect([currentSession()?.token, asked.length]).toEqual([next, 1])
  }
})

test('work that began in one session sends nothing in the next', async () => {
  adoptToken(tokenOf(1))
  const session = sessionSignal()
  adoptToken(tokenOf(1, { exp: 9999 }))
  expect(session.aborted).toBe(false)
  adoptToken(tokenOf(2))
  await expect(call('DELETE', 'resources/a.txt', { signal: session })).rejects.toMatchObject({ name: 'AbortError' })
  expect(asked).toEqual([])
})

test('a renewal goes on as the same session, whatever the server calls it', async () => {
  adoptToken(tokenOf(1))
  const session = sessionSignal()
  answers = [new Response(tokenOf(1, { sid: 'called otherwise' }))]
  await renew()
  expect([currentSession()?.token, session.aborted]).toEqual([tokenOf(1, { sid: 'called otherwise' }), false])
})

test('a renewed token that arrives after the sign-out starts no session', async () => {
  adoptToken(tokenOf(1))
  const late = Promise.withResolvers<Response>()
  answers = [late.promise as unknown as Response]
  const renewing = renew()
  void forgetSession()
  adoptToken(tokenOf(2))
  late.resolve(new Response(tokenOf(1, { exp: 9999 })))
  await renewing.catch(() => {})
  expect(currentSession()?.user.id).toBe(2)
})

test('an answer that breaks off is a lost connection', async () => {
  const broken = new ReadableStream({ start: (stream) => stream.error(new TypeError('network error')) })
  answers = [new Response(broken)]
  await expect(getJson('resources/')).rejects.toMatchObject({ name: 'ApiError', status: 0 })
})

test('a server that cannot be reached at the start ends no session', async () => {
  kept.set('jwt', tokenOf(3))
  answers = [new TypeError('no network')]
  await resumeSession(1000)
  expect(currentSession()?.user.id).toBe(3)

  answers = [refusal()]
  await resumeSession(1000)
  expect([currentSession(), kept.get('jwt')]).toEqual([null, undefined])
})

test('a proxy whose server is being restarted ends no session, and its page is no message', async () => {
  startSettings.LoginPage = false
  const proxyPage = () => new Response('<html>502 Bad Gateway</html>', { status: 502 })
  adoptToken(tokenOf(1))
  answers = [refusal(), proxyPage()]
  await expect(call('GET', 'users')).rejects.toThrow()
  expect(currentSession()?.user.id).toBe(1)
  answers = [proxyPage()]
  await expect(getJson('users')).rejects.toMatchObject({ status: 0, message: '502 No connection' })
  answers = [new Response('<html>Refused</html>', { status: 405, statusText: 'Method Not Allowed' })]
  await expect(getJson('users')).rejects.toMatchObject({ status: 405, message: '405 Method Not Allowed' })
  answers = [Response.json({ code: 'unavailable', message: 'The disk is away' }, { status: 503 })]
  await expect(getJson('users')).rejects.toMatchObject({ status: 503, code: 'unavailable' })
})

test('what another tab renews or ends is renewed or ended here', () => {
  adoptToken(tokenOf(1))
  const say = (newValue: string | null) => {
    if (newValue === null) kept.delete('jwt')
    else kept.set('jwt', newValue)
    heard.dispatchEvent(Object.assign(new Event('storage'), { key: 'jwt', newValue }))
  }
  say(tokenOf(1, { exp: 9999 }))
  expect(currentSession()?.token).toBe(tokenOf(1, { exp: 9999 }))
  say(null)
  expect(currentSession()).toBeNull()
})

test('a tab that slept takes the token that others have renewed, and does not remove it', async () => {
  adoptToken(tokenOf(1))
  const renewed = tokenOf(1, { exp: 9999 })
  kept.set('jwt', renewed)
  expect(adoptStoredToken()).toBe(true)
  expect(currentSession()?.token).toBe(renewed)

  kept.set('jwt', tokenOf(1, { exp: 12_345 }))
  void forgetSession()
  expect([currentSession(), kept.get('jwt')]).toEqual([null, tokenOf(1, { exp: 12_345 })])
})

test('a refused token ends no session for which another tab has stored a newer one: the call is made again with that', async () => {
  adoptToken(tokenOf(1))
  const renewed = tokenOf(1, { exp: 9999 })
  kept.set('jwt', renewed)
  answers = [refusal(), new Response('there')]
  expect(await (await call('GET', 'resources/')).text()).toBe('there')
  expect([currentSession()?.token, kept.get('jwt')]).toEqual([renewed, renewed])
  expect(asked).toEqual([`GET /api/resources/ ${tokenOf(1)}`, `GET /api/resources/ ${renewed}`])
})

test('signing out removes what the browser keeps for a user; a session that ends otherwise leaves it', async () => {
  const item = personalItem('names')
  const remove = mock(() => {})
  onPersonLeft(remove)
  adoptToken(tokenOf(1))
  item.write('a.txt')

  void forgetSession()
  adoptToken(tokenOf(1, { sid: 'signed in again' }))
  expect([item.read(), remove.mock.calls.length]).toEqual(['a.txt', 0])

  void forgetSession()
  adoptToken(tokenOf(2))
  expect([item.read(), remove.mock.calls.length]).toEqual([null, 1])

  item.write('b.txt')
  await signOut()
  expect([item.read(), remove.mock.calls.length]).toEqual([null, 2])
})

test('a server that says nothing at the start is not waited for', async () => {
  kept.set('jwt', tokenOf(3))
  silent = true
  expect(await resumeSession(20)).toBe(false)
  expect(currentSession()?.user.id).toBe(3)
  silent = false
  answers = [new Response(tokenOf(3, { exp: 9999 }))]
  expect(await resumeSession(20_000)).toBe(true)
})

test('how long a session lasts is counted on the clock of the browser, whatever that shows', () => {
  adoptToken(tokenOf(1, { iat: 1000, exp: 8200 }))
  const left = (currentSession()?.expires ?? 0) - Date.now() / 1000
  expect(Math.round(left / 60)).toBe(120)
})

test('a preference that was just chosen outlasts a renewal that began before it was stored', async () => {
  const tokenWith = (viewMode: string, exp: number) =>
    `x.${Buffer.from(JSON.stringify({ user: { id: 1, viewMode }, sid: 's', iat: 1000, exp })).toString('base64url')}.x`
  adoptToken(tokenWith('list', 8200))
  const late = Promise.withResolvers<Response>()
  answers = [late.promise as unknown as Response]
  const renewing = renew()
  amendUser({ viewMode: 'mosaic' })
  late.resolve(new Response(tokenWith('list', 9000)))
  await renewing
  expect(currentSession()?.user.viewMode).toBe('mosaic')

  // Later the token knows better: the preference may have been changed elsewhere.
  setSystemTime(Date.now() + 60_000)
  answers = [new Response(tokenWith('mosaic gallery', 9500))]
  await renew()
  setSystemTime()
  expect(currentSession()?.user.viewMode).toBe('mosaic gallery')
})

test('an early request is answered once, and the next one asks anew', async () => {
  adoptToken(tokenOf(1))
  answers = [new Response('early'), new Response('later')]
  sendEarly('resources/')
  sendEarly('resources/')
  expect(await (await call('GET', 'resources/')).text()).toBe('early')
  expect(await (await call('GET', 'resources/')).text()).toBe('later')
  expect(asked.length).toBe(2)
})

test('an early answer is no answer to another question', async () => {
  adoptToken(tokenOf(1))
  answers = [new Response('early'), new Response('with a password'), new Response('changed')]
  sendEarly('public/share/x/')
  const headers = { 'X-SHARE-PASSWORD': 'secret' }
  expect(await (await call('GET', 'public/share/x/', { headers })).text()).toBe('with a password')
  expect(await (await call('DELETE', 'public/share/x/')).text()).toBe('changed')
  expect(await (await call('GET', 'public/share/x/')).text()).toBe('early')
})

test('an early answer of one session, of long ago, or of a line that gave none is not taken', async () => {
  adoptToken(tokenOf(1))
  answers = [new Response('theirs'), new Response('mine')]
  sendEarly('resources/')
  adoptToken(tokenOf(2))
  expect(await (await call('GET', 'resources/')).text()).toBe('mine')

  answers = [new Response('old'), new Response('new')]
  sendEarly('resources/')
  setSystemTime(Date.now() + 60_000)
  expect(await (await call('GET', 'resources/')).text()).toBe('new')
  setSystemTime()

  answers = [new Response('lost'), new Response('found')]
  sendEarly('resources/')
  forgetEarly()
  expect(await (await call('GET', 'resources/')).text()).toBe('found')
})

test('an early request that is refused is asked again with the token that replaced it', async () => {
  adoptToken(tokenOf(1))
  answers = [refusal(), new Response('fine')]
  sendEarly('resources/')
  const renewed = tokenOf(1, { exp: 9999 })
  adoptToken(renewed)
  expect(await (await call('GET', 'resources/')).text()).toBe('fine')
  expect(asked).toEqual([`GET /api/resources/ ${tokenOf(1)}`, `GET /api/resources/ ${renewed}`])
})

test('a page without a token begins as a guest only where the server lets guests in', async () => {
  expect(await resumeSession(1000)).toBe(true)
  expect(currentSession()).toBeNull()
  startSettings.Guests = true
  expect(await resumeSession(1000)).toBe(true)
  expect(isGuest()).toBe(true)
  await call('GET', 'resources/')
  expect(asked).toEqual(['GET /api/resources/'])
})

test('a stored token that is refused leads to signing in, not to a guest', async () => {
  startSettings.Guests = true
  kept.set('jwt', tokenOf(1))
  answers = [refusal()]
  expect(await resumeSession(1000)).toBe(true)
  expect(currentSession()).toBeNull()
})

test('a guest who is refused is asked to sign in', async () => {
  startSettings.Guests = true
  enterAsGuest()
  answers = [refusal()]
  await call('GET', 'resources/').catch(() => {})
  expect([currentSession(), asked.length]).toEqual([null, 1])
})

test('where another system signs in, a person it does not know begins as a guest', async () => {
  startSettings.LoginPage = false
  startSettings.Guests = true
  answers = [new Response('403', { status: 403 })]
  expect(await resumeSession(1000)).toBe(true)
  expect(isGuest()).toBe(true)
})

test('signing out goes on as a guest once the server has ended the session', async () => {
  startSettings.Guests = true
  adoptToken(tokenOf(1))
  const { promise, resolve } = Promise.withResolvers<Response>()
  answers = [promise as unknown as Response]
  const done = signOut()
  expect(isGuest()).toBe(false)
  resolve(new Response(''))
  await done
  expect([isGuest(), kept.has('jwt')]).toEqual([true, false])
})

test('signing out ends the session where the server cannot be asked, and begins no other', async () => {
  startSettings.Guests = true
  adoptToken(tokenOf(1))
  answers = [new TypeError('no connection')]
  await signOut()
  expect([currentSession(), kept.has('jwt')]).toEqual([null, false])
})

test('a guest sees nothing of what is kept for a person, and removes nothing of it', () => {
  const item = personalItem('places')
  adoptToken(tokenOf(1))
  item.write('mine')
  void forgetSession()
  startSettings.Guests = true
  enterAsGuest()
  expect(item.read()).toBeNull()
  item.note('of a guest')
  item.remove()
  adoptToken(tokenOf(1))
  expect(item.read()).toBe('mine')
})

test('signing in as a guest keeps the address', () => {
  startSettings.Guests = true
  enterAsGuest()
  adoptToken(tokenOf(1))
  expect(isOthersAddress()).toBe(false)
})
