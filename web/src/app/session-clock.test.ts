import { expect, test } from 'bun:test'

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
  history: { state: null, pushState: moveTo, replaceState: moveTo },
  localStorage: storage,
  sessionStorage: storage,
  addEventListener: page.addEventListener.bind(page),
})
const { watchAddress } = await import('./session-clock.ts')
const { adoptToken, currentSession, onSession } = await import('../server/session.ts')
const { currentLocation, goTo } = await import('../navigation/location.ts')

const tokenOf = (id: number, sid = `of ${id}`): string =>
  `x.${Buffer.from(JSON.stringify({ user: { id }, sid, iat: 0, exp: 60 })).toString('base64url')}.x`

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
