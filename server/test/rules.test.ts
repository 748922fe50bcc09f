import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type FolderResource, type Rule, Settings, type User } from '@filestead/contract'
import { changeUser } from '../src/users/users.ts'
import { jsonIn, statusOf } from './answers.ts'
import { treeOf } from './disk.ts'
import { type Ask, password, startServer, type TestServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
await server.addUser('admin', { isAdmin: true })
const [alice, admin] = [await server.as('alice'), await server.as('admin')]
afterAll(() => server.stop())

const path = (path: string, allow = false): Rule => ({ regex: false, allow, path, regexp: null })
const pattern = (raw: string, allow = false): Rule => ({ regex: true, allow, path: '', regexp: { raw } })

beforeEach(() => {
  rmSync(server.root, { recursive: true, force: true })
  server.put({
    'secret/a.txt': 'CANARY',
    'secret/open/b.txt': 'b',
    'secretary.txt': 'fine',
    'box/in.txt': 'in',
    'box/secret/c.txt': 'CANARY',
    'box/key.pem': 'CANARY',
    'open/d.txt': 'd',
    '.dot/e.txt': 'e',
    'open/.hidden': 'h',
  })
})

/** The same user with other rules each time: rights are read afresh with every request. */
async function someone(wishes: Partial<User>, on: TestServer = server): Promise<Ask> {
  const { deps } = on.app
  const usual = { rules: [], hideDotfiles: false, scope: '/' }
  await changeUser(deps, await deps.settings(), 1, { ...usual, ...wishes })
  return on === server ? alice : on.as('alice')
}
const under = (...rules: Rule[]) => someone({ rules })
const send = (ask: Ask, method: string, address: string, body: string | null = null) =>
  statusOf(ask(`/api/resources${address}`, { method, body }))
const namesIn = async (ask: Ask, folder: string) =>
  (await jsonIn<FolderResource>(ask(`/api/resources${folder}`))).items.map(({ name }) => name)

/** Which of these the rules leave open. */
async function openTo(ask: Ask, places: string[]): Promise<string[]> {
  const open: string[] = []
  for (const place of places) if ((await send(ask, 'GET', place)) === 200) open.push(place)
  return open
}

const places = ['/', '/secret', '/secret/a.txt', '/secret/open', '/secret/open/b.txt', '/secretary.txt', '/box/secret']

test.each<[string, Rule[], string[]]>([
  ['a path covers itself and all below', [path('/secret')], ['/', '/secretary.txt', '/box/secret']],
  ['a path needs no leading slash', [path('secret')], ['/', '/secretary.txt', '/box/secret']],
  ['a path may end with a slash', [path('/secret/')], ['/', '/secretary.txt', '/box/secret']],
  [
    'a later rule opens a part again',
    [path('/secret'), path('/secret/open', true)],
    ['/', '/secret/open', '/secret/open/b.txt', '/secretary.txt', '/box/secret'],
  ],
  [
    'an earlier rule opens nothing',
    [path('/secret/open', true), path('/secret')],
    ['/', '/secretary.txt', '/box/secret'],
  ],
  ['an expression is searched anywhere', [pattern('secret')], ['/']],
  ['an expression may be anchored', [pattern('^/secret$')], ['/', '/secretary.txt', '/box/secret']],
  ['what an expression denies is denied below too', [pattern('/secret$')], ['/', '/secretary.txt']],
  [
    'until another one matches',
    [pattern('/secret$'), pattern('/open$', true)],
    ['/', '/secret/open', '/secret/open/b.txt', '/secretary.txt'],
  ],
  ['flags of an expression count', [pattern('(?i)^/SECRET')], ['/', '/box/secret']],
  ['everything is denied by the root', [path('/')], []],
  ['a list of what is allowed', [path('/'), path('/secret/open', true)], ['/secret/open', '/secret/open/b.txt']],
  ['a list that leaves the root open', [pattern('^/.+'), path('/box', true)], ['/', '/box/secret']],
  ['a rule about the root alone is about nothing else', [pattern('^/$')], places.slice(1)],
])('%s', async (_what, rules, open) => {
  expect(await openTo(await under(...rules), places)).toEqual(open)
})

test('a listing has the entries that the rules allow', async () => {
  const ask = await under(path('/secret'), pattern('\\.pem$'))
  expect(await namesIn(ask, '/')).toEqual(['.dot', 'box', 'open', 'secretary.txt'])
  const box = await jsonIn<FolderResource>(ask('/api/resources/box'))
  expect([box.items.map(({ name }) => name), box.numDirs, box.numFiles]).toEqual([['secret', 'in.txt'], 1, 1])
})

test('a denied path answers alike whether it exists or not, for every request', async () => {
  const ask = await under(path('/secret'), path('/nothing'))
  const before = treeOf(server.root)
  for (const place of [
    '/secret',
    '/secret/a.txt',
    '/secret/none.txt',
    '/secret/open/none/deep',
    '/nothing',
    '/nothing/x',
  ]) {
    for (const [method, address] of [
      ['GET', `/api/resources${place}`],
      ['GET', `/api/resources${place}/`],
      ['HEAD', `/api/resources${place}`],
      ['GET', `/api/resources${place}?recursive=true`],
      ['GET', `/api/resources/recursive${place}`],
      ['GET', `/api/resources${place}?checksum=md5`],
      ['GET', `/api/raw${place}`],
      ['GET', `/api/usage${place}`],
      ['POST', `/api/resources${place}`],
      ['POST', `/api/resources${place}?override=true`],
      ['POST', `/api/resources${place}/`],
      ['PUT', `/api/resources${place}`],
      ['DELETE', `/api/resources${place}`],
      ['PATCH', `/api/resources${place}?action=copy&destination=%2Fstolen`],
      ['PATCH', `/api/resources${place}?action=rename&destination=%2Fstolen`],
      ['PATCH', `/api/resources/open?action=copy&destination=${encodeURIComponent(place)}`],
      ['PATCH', `/api/resources/open?action=rename&override=true&destination=${encodeURIComponent(place)}`],
      ['PATCH', `/api/resources/missing?action=copy&destination=${encodeURIComponent(place)}`],
    ] as const) {
      const response = await ask(address, { method, body: method === 'PUT' || method === 'POST' ? 'x' : null })
      const text = method === 'HEAD' ? '403 Forbidden\n' : await response.text()
      expect([method, address, response.status, text]).toEqual([method, address, 403, '403 Forbidden\n'])
    }
  }
  expect(treeOf(server.root)).toEqual(before)
})

test.each(['copy', 'rename'])('a folder with a denied entry inside cannot be moved by %s', async (action) => {
  const before = treeOf(server.root)
  for (const rule of [path('/box/secret'), pattern('\\.pem$')]) {
    const ask = await under(rule)
    expect(await send(ask, 'PATCH', `/box?action=${action}&destination=%2Fopen%2Fbox`)).toBe(403)
    expect(treeOf(server.root)).toEqual(before)
    expect(await send(ask, 'PATCH', `/open?action=${action}&destination=%2Fbox%2Fopen`)).toBe(200)
    rmSync(`${server.root}/box/open`, { recursive: true })
    server.put({ 'open/d.txt': 'd', 'open/.hidden': 'h' })
  }
})

test.each(['copy', 'rename'])('%s to a denied destination is refused', async (action) => {
  const before = treeOf(server.root)
  const ask = await under(path('/box/d.txt'), pattern('\\.key$'), pattern('\\(1\\)'))
  expect(await send(ask, 'PATCH', `/open?action=${action}&override=true&destination=%2Fbox`)).toBe(403)
  expect(await send(ask, 'PATCH', `/open/d.txt?action=${action}&destination=%2Fd.key`)).toBe(403)
  expect(await send(ask, 'PATCH', `/open/d.txt?action=${action}&rename=true&destination=%2Fbox%2Fin.txt`)).toBe(403)
  expect(treeOf(server.root)).toEqual(before)
})

test('a folder with a denied entry inside cannot be removed', async () => {
  const before = treeOf(server.root)
  const ask = await under(path('/box/secret'))
  expect(await send(ask, 'DELETE', '/box')).toBe(403)
  expect(treeOf(server.root)).toEqual(before)
  expect(await send(ask, 'DELETE', '/open')).toBe(204)
})

test('rules apply to names that are not UTF-8', async () => {
  const odd = Buffer.concat([Buffer.from(`${server.root}/odd/a`), Buffer.from([0xff])])
  const fill = () => {
    mkdirSync(odd, { recursive: true })
    writeFileSync(Buffer.concat([odd, Buffer.from('/key.pem')]), 'CANARY')
  }
  fill()
  const denied = await under(pattern('\\.pem$'))
  for (const [method, address] of [
    ['DELETE', '/odd'],
    ['PATCH', '/odd?action=copy&destination=%2Fcopy'],
    ['PATCH', '/odd?action=rename&destination=%2Fmoved'],
  ] as const)
    expect([method, address, await send(denied, method, address)]).toEqual([method, address, 403])
  const open = await under(pattern('\\.key$'))
  expect(await send(open, 'PATCH', '/odd?action=copy&destination=%2Fcopy')).toBe(200)
  expect(await send(open, 'PATCH', '/odd?action=rename&destination=%2Fmoved')).toBe(200)
  expect([await send(open, 'DELETE', '/copy'), await send(open, 'DELETE', '/moved')]).toEqual([204, 204])
})

test('rules for other paths change nothing', async () => {
  const ask = await under(path('/secret'), path('/box/none'))
  expect(await send(ask, 'PATCH', '/box?action=copy&destination=%2Fbox2')).toBe(200)
  expect(await send(ask, 'DELETE', '/box2')).toBe(204)
})

test('a symlink does not bypass a rule', async () => {
  server.link('secret', 'door')
  server.link('../secret/a.txt', 'open/window')
  server.link(`${server.root}/secret`, 'absolute')
  server.link('door', 'twice')
  server.link('open', 'fine')
  const ask = await under(path('/secret'))
  expect(await namesIn(ask, '/')).toEqual(['.dot', 'box', 'fine', 'open', 'secretary.txt'])
  expect(await namesIn(ask, '/open')).toEqual(['.hidden', 'd.txt'])
  for (const way of ['/door', '/door/a.txt', '/door/none', '/open/window', '/absolute/a.txt', '/twice/a.txt']) {
    for (const address of [`/api/resources${way}`, `/api/raw${way}`, `/api/usage${way}`])
      expect([address, await statusOf(ask(address))]).toEqual([address, 403])
    expect(await send(ask, 'PUT', way, 'x')).toBe(403)
    expect(await send(ask, 'POST', `${way}?override=true`, 'x')).toBe(403)
    expect(await send(ask, 'PATCH', `${way}?action=copy&destination=%2Fstolen`)).toBe(403)
  }
  expect(await send(ask, 'DELETE', '/door/a.txt')).toBe(403)
  expect(await send(ask, 'PATCH', '/door/a.txt?action=rename&destination=%2Fstolen')).toBe(403)
  expect(await send(ask, 'PATCH', '/open/d.txt?action=copy&destination=%2Fdoor%2Fd.txt')).toBe(403)
  expect(await namesIn(ask, '/fine')).toEqual(['.hidden', 'd.txt'])
  expect(server.file('secret/a.txt')).toBe('CANARY')
})

test('a denied name stays denied behind a symlink to its folder', async () => {
  server.link('box', 'door')
  const ask = await under(path('/box/key.pem'), path('/door/in.txt'))
  expect(await namesIn(ask, '/door')).toEqual(['secret'])
  expect(await namesIn(ask, '/box')).toEqual(['secret', 'in.txt'])
  expect(await send(ask, 'GET', '/door/key.pem')).toBe(403)
})

test('hidden dotfiles are hidden with everything below them', async () => {
  const ask = await someone({ hideDotfiles: true })
  expect(await namesIn(ask, '/')).toEqual(['box', 'open', 'secret', 'secretary.txt'])
  expect(await namesIn(ask, '/open')).toEqual(['d.txt'])
  for (const place of ['/.dot', '/.dot/e.txt', '/.dot/none', '/open/.hidden', '/.none']) {
    expect([place, await send(ask, 'GET', place)]).toEqual([place, 403])
    expect(await statusOf(ask(`/api/raw${place}`))).toBe(403)
    expect(await send(ask, 'POST', `${place}?override=true`, 'x')).toBe(403)
    expect(await send(ask, 'DELETE', place)).toBe(403)
  }
  expect(await send(ask, 'PATCH', '/open/d.txt?action=rename&destination=%2F.hide-me')).toBe(403)
  expect(await namesIn(await someone({}), '/')).toContain('.dot')
})

test('a hidden file moves with its folder', async () => {
  const ask = await someone({ hideDotfiles: true })
  expect(await send(ask, 'PATCH', '/open?action=rename&destination=%2Fmoved')).toBe(200)
  expect(server.file('moved/.hidden')).toBe('h')
  expect(await send(ask, 'DELETE', '/moved')).toBe(204)
  expect(treeOf(server.root)).not.toHaveProperty('moved/')
})

test('rules apply to paths in the scope of the user', async () => {
  const ask = await someone({ scope: '/box', rules: [path('/secret')] })
  expect(await namesIn(ask, '/')).toEqual(['in.txt', 'key.pem'])
  expect(await send(ask, 'GET', '/secret/c.txt')).toBe(403)
})

test('global rules apply to all users, administrators included, unless a rule of the user differs', async () => {
  const ruled = await startServer({ settings: { rules: [path('/closed'), path('/half')] } })
  try {
    await ruled.addUser('alice')
    await ruled.addUser('admin', { isAdmin: true })
    const ruler = await ruled.as('admin')
    ruled.put({ 'closed/a.txt': 'a', 'half/b.txt': 'b' })
    const places = ['/closed/a.txt', '/half/b.txt']
    expect(await openTo(await someone({}, ruled), places)).toEqual([])
    expect(await openTo(ruler, places)).toEqual([])
    expect(await openTo(await someone({ rules: [path('/half', true)] }, ruled), places)).toEqual(['/half/b.txt'])

    const body = JSON.stringify(Settings.parse({ rules: [path('/half')] }))
    expect(await statusOf(ruler('/api/settings', { method: 'PUT', body }))).toBe(200)
    expect(await openTo(ruler, places)).toEqual(['/closed/a.txt'])
  } finally {
    await ruled.stop()
  }
})

test.each(['(', '[a', '*', '(?=x)', '\\'])('the expression %j is refused when it is saved', async (raw) => {
  const settings = JSON.stringify(Settings.parse({ rules: [pattern(raw)] }))
  const refused = await admin('/api/settings', { method: 'PUT', body: settings })
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('not a valid expression')])
  const who = { what: 'user', current_password: password }
  const change = { ...who, which: ['rules'], data: { id: 1, rules: [pattern(raw)] } }
  expect(await statusOf(admin('/api/users/1', { method: 'PUT', body: JSON.stringify(change) }))).toBe(400)
  const addition = { ...who, which: [], data: { username: 'x', password, rules: [pattern(raw)] } }
  expect(await statusOf(admin('/api/users', { method: 'POST', body: JSON.stringify(addition) }))).toBe(400)
  expect(await send(admin, 'GET', '/')).toBe(200)
})

test('an invalid expression of an old database denies, and one that would allow is ignored', async () => {
  const old = await startServer({ settings: { rules: [pattern('(')] } })
  try {
    await old.addUser('alice')
    old.put({ 'a.txt': 'a' })
    expect(await openTo(await someone({}, old), ['/', '/a.txt'])).toEqual([])
    expect(await openTo(await someone({ rules: [path('/a.txt', true)] }, old), ['/', '/a.txt'])).toEqual(['/a.txt'])
  } finally {
    await old.stop()
  }
  const lenient = await startServer({ settings: { rules: [path('/a.txt'), pattern('(', true)] } })
  try {
    await lenient.addUser('alice')
    lenient.put({ 'a.txt': 'a', 'b.txt': 'b' })
    expect(await openTo(await someone({}, lenient), ['/a.txt', '/b.txt'])).toEqual(['/b.txt'])
  } finally {
    await lenient.stop()
  }
})

test('no expression takes exponential time', async () => {
  const ask = await under(pattern('^(([a-z])+.)+[A-Z]([a-z])+$'))
  expect(await send(ask, 'GET', `/${'a'.repeat(200)}`)).toBe(404)
})
