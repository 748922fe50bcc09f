import { afterAll, describe, expect, test } from 'bun:test'
import { jsonIn, statusOf } from './answers.ts'
import { payloadOf, signInAsFileBrowser, startServerWithClients, userChange } from './file-browser-client.ts'
import { password } from './server.ts'

const { server, admin, ...others } = await startServerWithClients()
let { ann } = others
afterAll(() => server.stop())

describe('Settings in a File Browser client', () => {
  test('of the server may leave out empty values, and rules keep both of their texts', async () => {
    const settings = await jsonIn<{ commands: object }>(admin.ask('/api/settings'))
    const events = Object.keys(settings.commands)
    const rules = [{ allow: true, path: '/x', regex: false, regexp: { raw: '' } }]
    const put = (changes: object) =>
      admin.ask('/api/settings', { method: 'PUT', body: JSON.stringify({ ...settings, ...changes }) })
    expect(await statusOf(put({ commands: {}, rules }))).toBe(200)
    // The client joins the commands of every event, and opens the expression of a rule without looking.
    const saved = await jsonIn<{ commands: Record<string, string[]> }>(admin.ask('/api/settings'))
    expect(saved).toMatchObject({ rules, shell: [] })
    expect(Object.entries(saved.commands)).toEqual(events.map((event) => [event, []]))
    expect(await statusOf(put({}))).toBe(200)
  })

  test('of the view are sent alone', async () => {
    await server.addUser('viewer')
    const viewer = await signInAsFileBrowser(server.url, 'viewer', password)
    const { id } = payloadOf(viewer.token).user
    const change = (which: string, value: unknown) =>
      viewer.ask(`/api/users/${id}`, { method: 'PUT', body: userChange([which], { id, [which]: value }, '') })
    for (const mode of ['mosaic', 'mosaic gallery', 'list']) {
      expect(await statusOf(change('viewMode', mode))).toBe(200)
      await viewer.renew()
      expect(payloadOf(viewer.token).user).toMatchObject({ viewMode: mode })
    }
    const sorting = { by: 'modified', asc: true }
    expect(await statusOf(change('sorting', sorting))).toBe(200)
    expect(await jsonIn<object>(viewer.ask('/api/resources/'))).toMatchObject({ sorting })
  })

  test('of the server are sent back complete', async () => {
    const settings = await jsonIn<{ branding: object; authMethod: string }>(admin.ask('/api/settings'))
    const changed = { ...settings, branding: { ...settings.branding, name: 'My files' } }
    const put = (body: object) => admin.ask('/api/settings', { method: 'PUT', body: JSON.stringify(body) })
    expect(await statusOf(put(changed))).toBe(200)
    expect(await (await fetch(`${server.url}/`)).text()).toContain('"Name":"My files"')
    expect(await statusOf(put(settings))).toBe(200)
    expect(await statusOf(ann.ask('/api/settings'))).toBe(403)
  })

  test('of a user are changed by field name, with the whole user as data', async () => {
    const { id } = (await jsonIn<{ id: number; username: string }[]>(admin.ask('/api/users'))).find(
      ({ username }) => username === 'ann',
    ) as { id: number }
    const self = await jsonIn<object>(ann.ask(`/api/users/${id}`))
    const which = ['locale', 'hideDotfiles', 'singleClick', 'redirectAfterCopyMove', 'dateFormat', 'aceEditorTheme']
    const change = (names: string[], data: object, current: string, client = ann) =>
      client.ask(`/api/users/${id}`, { method: 'PUT', body: userChange(names, { ...self, ...data }, current) })
    expect(await statusOf(change(which, { locale: 'de', singleClick: true }, ''))).toBe(200)
    expect(await statusOf(change(['viewMode'], { viewMode: 'list' }, ''))).toBe(200)
    expect(await statusOf(change(['sorting'], { sorting: { by: 'size', asc: true } }, ''))).toBe(200)
    expect(await jsonIn<object>(ann.ask(`/api/users/${id}`))).toMatchObject({
      locale: 'de',
      singleClick: true,
      viewMode: 'list',
    })
    const wrong = await change(['password'], { password: 'a new long password' }, 'not it')
    expect([wrong.status, await wrong.text()]).toEqual([400, '400 Bad Request (the current password is incorrect)\n'])
    expect(await statusOf(change(['password'], { password: 'a new long password' }, password))).toBe(200)
    const again = await signInAsFileBrowser(server.url, 'ann', 'a new long password')
    expect(await statusOf(again.ask('/api/resources/'))).toBe(200)
    // An administrator saves the whole form, with an empty field for a password that stays.
    expect(await statusOf(change(['all'], { password: '', locale: 'fr' }, password, admin))).toBe(200)
    expect(await jsonIn<object>(again.ask(`/api/users/${id}`))).toMatchObject({ locale: 'fr' })
    ann = await signInAsFileBrowser(server.url, 'ann', 'a new long password')
  })

  test('create and remove users', async () => {
    const { defaults } = await jsonIn<{ defaults: object }>(admin.ask('/api/settings'))
    const data = { ...defaults, id: 0, username: 'new', password: 'a long enough one', lockPassword: false, rules: [] }
    const made = await admin.ask('/api/users', { method: 'POST', body: userChange([], data, password) })
    expect(made.status).toBe(201)
    const id = /^\/settings\/users\/(\d+)$/.exec(made.headers.get('location') ?? '')?.[1]
    const body = JSON.stringify({ current_password: password })
    expect(await statusOf(admin.ask(`/api/users/${id}`, { method: 'DELETE', body }))).toBe(200)
    expect(await statusOf(admin.ask(`/api/users/${id}`))).toBe(404)
  })
})

test('Sign-up in a File Browser client shows why a password is refused', async () => {
  const settings = await jsonIn<object>(admin.ask('/api/settings'))
  const allow = (signup: boolean) =>
    admin.ask('/api/settings', { method: 'PUT', body: JSON.stringify({ ...settings, signup }) })
  expect(await statusOf(allow(true))).toBe(200)
  const signUp = (secret: string) =>
    fetch(`${server.url}/api/signup`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'newcomer', password: secret }),
    })
  const short = await signUp('short')
  // The client looks for the number in these words.
  expect([short.status, await short.text()]).toEqual([400, expect.stringMatching(/minimum length is 12\b/)])
  expect(await statusOf(signUp('a long enough one'))).toBe(200)
  expect(await statusOf(signUp('a long enough one'))).toBe(409)
  await signInAsFileBrowser(server.url, 'newcomer', 'a long enough one')
  expect(await statusOf(allow(false))).toBe(200)
})
