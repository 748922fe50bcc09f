import { expect, mock, test } from 'bun:test'

const held = new Map<string, string>()
const storage = {
  getItem: (key: string) => held.get(key) ?? null,
  setItem: (key: string, value: string) => void held.set(key, value),
  removeItem: (key: string) => void held.delete(key),
}
const page = new EventTarget()
const location = { pathname: '/files/private/', search: '' }
const moveTo = (_: unknown, __: string, url?: string) => {
  if (url !== undefined) location.pathname = url
}
Object.assign(globalThis, {
  window: Object.assign(page, { location }),
  document: { querySelectorAll: () => [] },
  history: { state: null, pushState: moveTo, replaceState: moveTo },
  localStorage: storage,
  sessionStorage: storage,
  addEventListener: page.addEventListener.bind(page),
})
const { watchAddress, watchEnd } = await import('./session-clock.ts')
const { adoptToken, currentSession, onSession } = await import('../server/session.ts')
const { currentLocation, goTo } = await import('../navigation/location.ts')

const tokenOf = (id: number, { sid = `of ${id}`, exp = 60 } = {}): string =>
  `x.${Buffer.from(JSON.stringify({ user: { id }, sid, iat: 0, exp })).toString('base64url')}.x`

test('a session of another user begins in its own files before any screen hears of it, and only once', () => {
  adoptToken(tokenOf(1))
  watchAddress()
  const seen: string[] = []
  onSession(() => seen.push(`${currentSession()?.user.id} ${currentLocation().pathname}`))

  adoptToken(tokenOf(2))
  goTo('/files/own/')
  adoptToken(tokenOf(2))
  expect(seen).toEqual(['2 /files/', '2 /files/own/'])
})

test('the page of a link stays where it is, with another session', () => {
  goTo('/share/abc/')
  adoptToken(tokenOf(3))
  expect(currentLocation().pathname).toBe('/share/abc/')
})

test('at the end of its time a session goes on with the token that another tab has stored, and ends without one', () => {
  const asked = mock(() => new Promise<Response>(() => {}))
  globalThis.fetch = Object.assign(asked, { preconnect: () => {} })
  adoptToken(tokenOf(4))
  goTo('/files/own/')
  const newer = tokenOf(4, { exp: 90 })
  // As in a tab that was frozen meanwhile: no storage event tells of it.
  held.set('jwt', newer)
  watchEnd(Date.now())
  expect([currentSession()?.token, held.get('jwt'), location.pathname]).toEqual([newer, newer, '/files/own/'])
  expect(asked).toHaveBeenCalledTimes(1)

  watchEnd(Date.now())
  expect([currentSession(), held.get('jwt')]).toEqual([null, undefined])
  expect(location.pathname).toBe('/login?logout-reason=inactivity&redirect=%2Ffiles%2Fown%2F')
})
