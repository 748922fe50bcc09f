import { afterAll, expect, test } from 'bun:test'
import { Settings, type StartSettings } from '@filestead/contract'
import { readConfig } from '../src/config/config.ts'
import { statusOf } from './answers.ts'
import { type Ask, startServer } from './server.ts'
import { sendRaw } from './socket.ts'

const server = await startServer()
await server.addUser('admin', { isAdmin: true })
const admin = await server.as('admin')
afterAll(() => server.stop())

const pageAt = async (ask: Ask, path: string) => {
  const response = await ask(path)
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return { html: await response.text(), headers: response.headers }
}

/** What the page learns at start-up, read as a browser would: up to the end of the script. */
function settingsIn(html: string): StartSettings {
  const [, script = ''] = /<script[^>]*>window\.FileBrowser = (.*?);<\/script>/s.exec(html) ?? []
  return JSON.parse(script)
}

const save = (wanted: object) =>
  statusOf(admin('/api/settings', { method: 'PUT', body: JSON.stringify(Settings.parse(wanted)) }))

test.each([
  '/',
  '/files/',
  '/files/some/folder/a.txt',
  '/login',
  '/share/abc',
  '/settings/users/1',
  '/403',
  '/apix',
  '/a.js',
  '/%zz',
])('%s answers the page of the client', async (path) => {
  const { html, headers } = await pageAt(server.ask, path)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(html).toContain('window.FileBrowser = ')
  const head = await server.ask(path, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s to the address of a page is not found', async (method) => {
  for (const path of ['/', '/files/a.txt', '/login']) expect(await statusOf(server.ask(path, { method }))).toBe(404)
})

test('the page has its settings, in the order of File Browser', async () => {
  const { html } = await pageAt(server.ask, '/')
  expect(settingsIn(html)).toEqual({
    AuthMethod: 'json',
    BaseURL: '',
    CSS: false,
    Color: '',
    DisableExternal: false,
    DisableUsedPercentage: false,
    EnableExec: false,
    EnableThumbs: true,
    EnableVideoThumbs: Bun.which('ffmpeg') !== null,
    HideLoginButton: true,
    LoginPage: true,
    LogoutPage: '/login',
    Name: '',
    NoAuth: false,
    ReCaptcha: false,
    ResizePreview: true,
    Signup: false,
    StaticURL: '/static',
    Theme: '',
    TusSettings: { chunkSize: 10_485_760, retryCount: 5 },
    Version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  })
  const keys = Object.keys(settingsIn(html))
  expect(keys).toEqual([...keys].sort())
})

/** The files that the browser is told to load early, beside those that every page has. */
const preloadsIn = (html: string): string[] =>
  (html.match(/<link [^>]*data-page="[^>]*>/g) ?? []).map((link) => /assets\/([\w]+)-/.exec(link)?.[1] ?? '')

test('the page preloads the code of its address, and none of a screen behind the sign-in without a session', async () => {
  const at = async (path: string, headers: Record<string, string> = {}) =>
    new Set(preloadsIn(await (await server.ask(path, { headers })).text()))
  const cookie = { cookie: 'auth=x.y.z' }
  const login = await at('/login')
  expect(login).toContain('LoginScreen')
  for (const path of ['/', '/files/', '/files/a.txt', '/settings/profile']) expect(await at(path)).toEqual(login)
  for (const page of [login, await at('/share/abc'), await at('/share/abc', cookie)]) {
    expect(page).not.toContain('files')
    expect(page).not.toContain('settings')
  }
  expect(await at('/share/abc')).toContain('share')
  expect(await at('/files/a.txt', cookie)).toContain('files')
  expect(await at('/settings/profile', cookie)).toContain('settings')
  expect(await at('/login', cookie)).toEqual(login)
})

test('only scripts with the nonce of the page run', async () => {
  const [one, two] = [await pageAt(server.ask, '/'), await pageAt(server.ask, '/')]
  const nonceIn = (policy: string | null) => /script-src 'nonce-([A-Za-z0-9+/=]{22,})'/.exec(policy ?? '')?.[1]
  const nonces = [one, two].map(({ headers }) => nonceIn(headers.get('content-security-policy')))
  expect(nonces[0]).toBeDefined()
  expect(nonces[0]).not.toBe(nonces[1])
  for (const [index, { html }] of [one, two].entries()) {
    const scripts = html.match(/<script[^>]*>/g) ?? []
    expect(scripts.length).toBeGreaterThan(1)
    for (const script of scripts) expect(script).toContain(`nonce="${nonces[index]}"`)
    expect(html).not.toMatch(/\son\w+=/)
  }
})

test('the page cannot be framed, sniffed or cached, and loads nothing from other hosts', async () => {
  const { headers } = await pageAt(server.ask, '/')
  const policy = headers.get('content-security-policy') ?? ''
  for (const part of ["default-src 'none'", "frame-ancestors 'self'", "base-uri 'none'", "connect-src 'self'"])
    expect(policy.split('; ')).toContain(part)
  expect(policy).not.toContain('unsafe-eval')
  expect(/script-src [^;]*unsafe-inline/.test(policy)).toBe(false)
  expect(policy).not.toMatch(/https?:/)
  expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('cache-control')).toContain('no-store')
})

test('configured sites may frame the page, and other values do not enter its policy', async () => {
  const framed = await startServer({ frameAncestors: 'https://home.example.org, https://*.lan:8123' })
  const { headers } = await pageAt(framed.ask, '/')
  await framed.stop()
  const policy = headers.get('content-security-policy')?.split('; ') ?? []
  expect(policy).toContain("frame-ancestors 'self' https://home.example.org https://*.lan:8123")
  expect(headers.get('x-frame-options')).toBeNull()
  for (const text of [
    '*',
    'home.example.org',
    "https://x;script-src'unsafe-inline'",
    'https://x/path',
    'data:',
    "'none'",
  ])
    expect(() => readConfig({ frameAncestors: text }, {})).toThrow('must be sites such as')
})

test.each([
  '</script><script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  `"'><img src=x onerror=alert(1)>`,
  '<!--<script>',
  '\u2028\u2029&amp;&lt;',
  "NONCE $& $1 $` $' <title>x</title>",
])('the instance name %j is escaped in the page', async (name) => {
  expect(await save({ branding: { name, color: name } })).toBe(200)
  const { html } = await pageAt(server.ask, '/')
  expect(settingsIn(html)).toMatchObject({ Name: name, Color: name })
  expect(html).not.toContain('<script>')
  expect(html).not.toContain('<img src=x')
  expect(html).not.toContain('\u2028&amp;&lt;')
  const title = /<title>([^<]*)<\/title>/.exec(html)?.[1] ?? ''
  const unescaped = title.replace(/&(lt|gt|quot|#39|amp);/g, (_, word: string) => entities[word] ?? '')
  expect(unescaped).toBe(name)
  expect(html.split('window.FileBrowser').length).toBe(2)
})

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

test('without an instance name the page has the default title', async () => {
  expect(await save({})).toBe(200)
  expect((await pageAt(server.ask, '/')).html).toContain('<title>File Browser</title>')
})

test('a change of the settings is in the next page', async () => {
  const branding = {
    name: 'Our files',
    theme: 'dark',
    color: '#123456',
    disableExternal: true,
    disableUsedPercentage: true,
  }
  expect(await save({ signup: true, hideLoginButton: false, branding, tus: { chunkSize: 99, retryCount: 2 } })).toBe(
    200,
  )
  const { html } = await pageAt(server.ask, '/')
  expect(html).toContain('<title>Our files</title>')
  expect(html).toContain('#123456')
  expect(settingsIn(html)).toMatchObject({
    Signup: true,
    HideLoginButton: false,
    Name: 'Our files',
    Theme: 'dark',
    Color: '#123456',
    DisableExternal: true,
    DisableUsedPercentage: true,
    TusSettings: { chunkSize: 99, retryCount: 2 },
  })
})

test('options of the start are in the page', async () => {
  const other = await startServer({ disableThumbnails: true, disablePreviewResize: true, disableExec: false })
  try {
    expect(settingsIn((await pageAt(other.ask, '/')).html)).toMatchObject({
      EnableThumbs: false,
      EnableVideoThumbs: false,
      ResizePreview: false,
      EnableExec: true,
    })
  } finally {
    await other.stop()
  }
})

test('the page of a share is the same for every visitor', async () => {
  const [stranger, signedIn] = [await pageAt(server.ask, '/'), await pageAt(admin, '/')]
  expect(settingsIn(signedIn.html)).toEqual(settingsIn(stranger.html))
  expect(stranger.headers.get('set-cookie')).toBeNull()
})

test('a forged host header is not repeated in the page', async () => {
  const answer = await sendRaw(server.url, 'GET', '/', { host: 'evil.example', 'x-forwarded-host': 'evil.example' })
  expect([answer.status, answer.body.includes('evil.example')]).toEqual([200, false])
})
