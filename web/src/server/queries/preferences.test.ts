import { beforeEach, expect, test } from 'bun:test'

const held = new Map<string, string>()
const storage = {
  getItem: (key: string) => held.get(key) ?? null,
  setItem: (key: string, value: string) => void held.set(key, value),
  removeItem: (key: string) => void held.delete(key),
}
Object.assign(globalThis, { window: new EventTarget(), localStorage: storage, sessionStorage: { ...storage } })
const { adoptToken, currentSession, forgetSession } = await import('../session.ts')
const { savePreferences } = await import('./preferences.ts')

let sent: string[] = []
let answers: Promise<Response>[] = []
globalThis.fetch = Object.assign(
  async (_: string | URL | Request, init?: RequestInit) => {
    sent.push(JSON.parse(String(init?.body)).data.viewMode)
    return answers.shift() ?? new Response('')
  },
  { preconnect: () => {} },
)

const tokenOf = (id: number): string => {
  const user = { id, viewMode: 'list', locale: 'en' }
  return `x.${Buffer.from(JSON.stringify({ user, sid: `of ${id}`, iat: 1000, exp: 8200 })).toString('base64url')}.x`
}
const viewMode = () => currentSession()?.user.viewMode
const refused = () => new Response('500', { status: 500 })

beforeEach(() => {
  sent = []
  answers = []
  void forgetSession()
  adoptToken(tokenOf(1))
})

test('a preference is shown at once and stays when it is saved', async () => {
  const saved = savePreferences({ viewMode: 'mosaic' })
  expect(viewMode()).toBe('mosaic')
  await saved
  expect(viewMode()).toBe('mosaic')
})

test('a preference that could not be saved goes back, and the failure is told', async () => {
  answers = [Promise.resolve(refused())]
  await expect(savePreferences({ viewMode: 'mosaic' })).rejects.toThrow()
  expect([viewMode(), currentSession()?.user.locale]).toEqual(['list', 'en'])
})

test('changes are saved one after the other, and a refusal goes back to the last one that was saved', async () => {
  const first = Promise.withResolvers<Response>()
  answers = [first.promise, Promise.resolve(refused())]
  const one = savePreferences({ viewMode: 'mosaic' })
  const other = savePreferences({ viewMode: 'mosaic gallery' })
  await Promise.resolve()
  expect([sent, viewMode()]).toEqual([['mosaic'], 'mosaic gallery'])
  first.resolve(new Response(''))
  await one
  await expect(other).rejects.toThrow()
  expect([sent, viewMode()]).toEqual([['mosaic', 'mosaic gallery'], 'mosaic'])
})

test('a refusal does not take back a later choice that was saved', async () => {
  answers = [Promise.resolve(refused())]
  const one = savePreferences({ viewMode: 'mosaic' })
  const other = savePreferences({ viewMode: 'mosaic gallery' })
  await expect(one).rejects.toThrow()
  await other
  expect(viewMode()).toBe('mosaic gallery')
})

test('the refusal of one session changes nothing for the next user', async () => {
  const late = Promise.withResolvers<Response>()
  answers = [late.promise]
  const saved = savePreferences({ viewMode: 'mosaic' })
  adoptToken(tokenOf(2))
  late.resolve(refused())
  await expect(saved).rejects.toThrow()
  expect([currentSession()?.user.id, viewMode()]).toEqual([2, 'list'])
})
