import { afterAll, expect, test } from 'bun:test'
import type { FolderResource, Resource, SharedResource, ShareLink, User } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { treeOf } from './disk.ts'
import { password, startServer, type UserWishes } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('admin', { isAdmin: true })
const admin = await server.as('admin')

let count = 0
/** A user with a folder of files, and a share of one of them. */
async function shared(path = '/pub', { terms = {}, ...wishes }: UserWishes & { terms?: object } = {}) {
  count += 1
  const name = `owner-${count}`
  server.put({
    [`${name}/pub/a.txt`]: 'public A',
    [`${name}/pub/sub/b é.txt`]: 'public B',
    [`${name}/pub/.env`]: 'dotfile',
    [`${name}/pub/film.mp4`]: 'film',
    [`${name}/pub/film.vtt`]: 'WEBVTT',
    [`${name}/pub-secret/s.txt`]: 'SECRET',
    [`${name}/secret.txt`]: 'SECRET',
  })
  await server.addUser(name, { scope: `/${name}`, ...wishes })
  const ask = await server.as(name)
  const link = () => jsonIn<ShareLink>(ask(`/api/share${path}`, { method: 'POST', body: JSON.stringify(terms) }))
  return { name, ask, hash: (await link()).hash }
}
const info = (hash: string, rest = '', init?: RequestInit) => server.ask(`/api/public/share/${hash}${rest}`, init)
const download = (hash: string, rest = '', init?: RequestInit) => server.ask(`/api/public/dl/${hash}${rest}`, init)
const say = (text: string) => ({ headers: { 'x-share-password': text } })

async function changeUser(name: string, changes: object): Promise<void> {
  const user = (await jsonIn<User[]>(admin('/api/users'))).find(({ username }) => username === name)
  const which = Object.keys(changes)
  const data = { id: user?.id, ...changes }
  const body = JSON.stringify({ what: 'user', which, current_password: password, data })
  expect(await statusOf(admin(`/api/users/${user?.id}`, { method: 'PUT', body }))).toBe(200)
}

test('a shared folder has its name and paths below the share', async () => {
  const { hash } = await shared('/pub', { sorting: { by: 'size', asc: true } })
  const folder = await jsonIn<FolderResource>(info(hash))
  expect(folder).toMatchObject({ path: '/', name: 'pub', isDir: true, numDirs: 1, numFiles: 4 })
  expect(folder.sorting).toEqual({ by: 'name', asc: false })
  expect(folder.items.map(({ path }) => path)).toEqual(['/sub', '/.env', '/a.txt', '/film.mp4', '/film.vtt'])
  expect(folder.items[3]?.subtitles).toEqual(['/film.vtt'])
  expect(folder).not.toHaveProperty('token')
  expect(await jsonIn<FolderResource>(info(hash, '/sub/'))).toMatchObject({
    path: '/sub/',
    name: 'pub',
    items: [{ path: '/sub/b é.txt' }],
  })
  const file = await jsonIn<Resource>(info(hash, '/a.txt'))
  expect(file).toMatchObject({ path: '/a.txt', name: 'a.txt', size: 8, type: 'text' })
  expect(file).not.toHaveProperty('content')
})

test('a visitor is told when a link ends, and nothing of links that stay', async () => {
  const ending = await shared('/pub', { terms: { expires: '6', unit: 'days', label: 'not for visitors' } })
  const end = server.clock.now + 6 * 86_400
  for (const rest of ['', '/sub/', '/a.txt'])
    expect(await jsonIn(info(ending.hash, rest))).toMatchObject({ expire: end })
  expect(JSON.stringify(await jsonIn(info(ending.hash)))).not.toContain('not for visitors')
  const locked = await shared('/pub', { terms: { expires: '6', unit: 'days', password: 'open sesame' } })
  const opened = await jsonIn<SharedResource>(info(locked.hash, '', say('open%20sesame')))
  expect(opened).toMatchObject({ expire: end, token: expect.any(String) })
  const lasting = await shared('/pub')
  for (const rest of ['', '/a.txt']) expect(await jsonIn(info(lasting.hash, rest))).not.toHaveProperty('expire')
})

test('a shared file shows no other entry of its folder', async () => {
  const { hash } = await shared('/pub/a.txt')
  expect(await jsonIn(info(hash))).toMatchObject({ path: '', name: 'a.txt', size: 8, isDir: false })
  expect(await (await download(hash)).text()).toBe('public A')
  expect(await (await download(hash, '/a.txt')).text()).toBe('public A')
  for (const rest of ['/film.mp4', '/../film.mp4', '/%2e%2e%2fsecret.txt', '/a.txt/x', '/sub', '/..%2f..%2fpub']) {
    expect(await statusOf(info(hash, rest))).toBeOneOf([400, 404])
    const response = await download(hash, rest)
    expect(response.status).toBeOneOf([200, 400, 404])
    if (response.status === 200) expect(await response.text()).toBe('public A')
  }
  const film = await shared('/pub/film.mp4')
  expect(await jsonIn(info(film.hash))).not.toHaveProperty('subtitles')
})

test('a link to a shared file sends it under any name that follows', async () => {
  const { hash } = await shared('/pub/a.txt', { terms: { password: 'open sesame' } })
  const { token = '' } = await jsonIn<SharedResource>(info(hash, '', say('open%20sesame')))
  for (const rest of ['', '/a.txt', '/any%20name.txt', '/film.mp4', '/deep/er/%C3%BC.zip', '/x/']) {
    expect(await statusOf(download(hash, rest))).toBe(401)
    const whole = await download(hash, `${rest}?token=${token}`)
    expect([rest, whole.status, await whole.text()]).toEqual([rest, 200, 'public A'])
    expect(whole.headers.get('content-disposition')).toBe("attachment; filename*=utf-8''a.txt")
    const part = await download(hash, `${rest}?token=${token}&inline=true`, { headers: { range: 'bytes=7-' } })
    expect([part.status, await part.text()]).toEqual([206, 'A'])
    expect(part.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const head = await download(hash, `${rest}?token=${token}`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '8'])
  }
  // What a folder shows keeps its own names.
  const folder = await shared('/pub')
  expect(await statusOf(download(folder.hash, '/any%20name.txt'))).toBe(404)
})

test('a shared download has name, ranges, inline and HEAD like any other', async () => {
  const { hash } = await shared()
  const whole = await download(hash, '/sub/b%20%C3%A9.txt')
  expect(whole.headers.get('content-disposition')).toBe("attachment; filename*=utf-8''b%20%C3%A9.txt")
  expect(whole.headers.get('content-type')).toBe('application/octet-stream')
  expect(whole.headers.get('referrer-policy')).toBe('no-referrer')
  expect(await whole.text()).toBe('public B')
  const part = await download(hash, '/a.txt?inline=true', { headers: { range: 'bytes=0-5' } })
  expect([part.status, await part.text()]).toEqual([206, 'public'])
  expect(part.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(part.headers.get('content-security-policy')).toContain('sandbox')
  const head = await download(hash, '/a.txt', { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '8'])
  expect(await statusOf(info(hash, '', { method: 'HEAD' }))).toBe(200)
})

const some = await shared()

test.each([
  '/none',
  '/none/x',
  '/%2e%2e%2fsecret.txt',
  '/sub%2f..%2f..%2fsecret.txt',
  '/%252e%252e%252fsecret.txt',
  '/..%5csecret.txt',
  '-secret/s.txt',
  '/%00',
])('%p below a share is not found', async (rest) => {
  for (const response of [await info(some.hash, rest), await download(some.hash, rest)]) {
    expect(response.status).toBeOneOf([400, 404])
    expect(await response.text()).not.toContain('SECRET')
  }
})

test.each(['/api/public/share', '/api/public/share/', '/api/public/dl/', '/api/public/dl/AAAAAAAA', '/api/public/x'])(
  '%s is not found',
  async (path) => expect(await statusOf(server.ask(path))).toBe(404),
)

test('a visitor cannot change anything', async () => {
  const { hash } = some
  const before = treeOf(server.root)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    for (const kind of ['share', 'dl'])
      for (const rest of ['', '/a.txt', '/new.txt', '/a.txt?action=rename&destination=/x', '/%2e%2e%2fsecret.txt']) {
        const status = await statusOf(server.ask(`/api/public/${kind}/${hash}${rest}`, { method, body: 'x' }))
        // A form only chooses what is downloaded, of a folder.
        const byForm: Record<string, number> = { '': 200, '/new.txt': 404, '/%2e%2e%2fsecret.txt': 400 }
        const expected = kind === 'dl' && method === 'POST' ? (byForm[rest] ?? 405) : 405
        expect([kind, method, rest, status]).toEqual([kind, method, rest, expected])
      }
  expect(treeOf(server.root)).toEqual(before)
})

test('a share with a password asks for it in every request, percent-encoded', async () => {
  const { hash } = await shared('/pub', { terms: { password: 'öpen +sesame' } })
  for (const ask of [info, download]) {
    const refused = await ask(hash, '/a.txt')
    expect([refused.status, await refused.text()]).toEqual([401, '401 Unauthorized\n'])
    expect(await statusOf(ask(hash, '/none', say('guess')))).toBe(401)
    for (const odd of ['%', '%zz', '%ff', '']) expect(await statusOf(ask(hash, '/a.txt', say(odd)))).toBe(401)
    for (const right of [encodeURIComponent('öpen +sesame'), '%C3%B6pen+%2Bsesame'])
      expect(await statusOf(ask(hash, '/a.txt', say(right)))).toBe(200)
  }
})

test('the token of a share replaces its password for an hour, for this share only', async () => {
  const terms = { password: 'open sesame' }
  const { ask, hash, name } = await shared('/pub', { terms })
  const other = await shared('/pub', { terms })
  const { token = '' } = await jsonIn<SharedResource>(info(hash, '', say('open%20sesame')))
  expect(token.length).toBeGreaterThan(40)
  const opens = (text: string) => statusOf(download(hash, `/a.txt?token=${encodeURIComponent(text)}`))
  expect(await opens(token)).toBe(200)
  expect(await jsonIn(info(hash, `/a.txt?token=${token}`))).toMatchObject({ token })
  const [expiry = '', signature = ''] = token.split('.')
  const later = (Number.parseInt(expiry, 36) + 9999).toString(36)
  const wrong = [
    '',
    'nonsense',
    '.',
    expiry,
    `.${signature}`,
    `${later}.${signature}`,
    `${token}x`,
    token.toUpperCase(),
  ]
  for (const text of wrong) expect(await opens(text)).toBe(401)
  expect(await statusOf(download(other.hash, `/a.txt?token=${token}`))).toBe(401)

  await changeUser(name, { perm: { download: true } })
  expect(await opens(token)).toBe(403)
  await changeUser(name, { perm: { download: true, share: true, modify: true } })
  const { db } = server.app.deps
  const { password_hash } = await db.selectFrom('share').selectAll().where('hash', '=', hash).executeTakeFirstOrThrow()
  const setHash = (text: string) =>
    db.updateTable('share').set({ password_hash: text }).where('hash', '=', hash).execute()
  await setHash(await Bun.password.hash('another', { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 }))
  expect(await opens(token)).toBe(401)
  await setHash(password_hash)
  expect(await opens(token)).toBe(200)
  server.clock.now += 3600
  expect(await opens(token)).toBe(401)
  const fresh = await jsonIn<SharedResource>(info(hash, '', say('open%20sesame')))
  expect(await opens(fresh.token ?? '')).toBe(200)
  await ask(`/api/share/${hash}`, { method: 'DELETE' })
  expect(await opens(fresh.token ?? '')).toBe(404)
})

test('guessing the password of a share is throttled for that share', async () => {
  const terms = { password: 'open sesame' }
  const { hash } = await shared('/pub', { terms })
  const other = await shared('/pub', { terms })
  const { token } = await jsonIn<SharedResource>(info(hash, '', say('open%20sesame')))
  for (let guess = 0; guess < 12; guess += 1) expect(await statusOf(info(hash))).toBe(401)
  for (let guess = 0; guess < 10; guess += 1) expect(await statusOf(info(hash, '', say(`guess-${guess}`)))).toBe(401)
  const refused = await info(hash, '', {
    headers: { 'x-share-password': 'open%20sesame', 'x-forwarded-for': '9.9.9.9' },
  })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
  expect(await statusOf(download(hash, `/a.txt?token=${token}`))).toBe(200)
  expect(await statusOf(info(other.hash, '', say('open%20sesame')))).toBe(200)
  server.clock.now += 31
  expect(await statusOf(info(hash, '', say('open%20sesame')))).toBe(200)
})

test('a share ends with the permissions of its owner, and with the owner', async () => {
  const { hash, name } = await shared()
  await changeUser(name, { perm: { download: true } })
  for (const ask of [info, download]) expect(await statusOf(ask(hash, '/a.txt'))).toBe(403)
  await changeUser(name, { perm: { download: true, share: true } })
  expect(await jsonIn(info(hash, '/a.txt'))).toMatchObject({ type: 'textImmutable' })
  const user = (await jsonIn<User[]>(admin('/api/users'))).find(({ username }) => username === name)
  const body = JSON.stringify({ current_password: password })
  expect(await statusOf(admin(`/api/users/${user?.id}`, { method: 'DELETE', body }))).toBe(200)
  for (const ask of [info, download]) expect(await statusOf(ask(hash, '/a.txt'))).toBe(404)
  expect((await jsonIn<ShareLink[]>(admin('/api/shares'))).map((link) => link.hash)).not.toContain(hash)
})

test('a share belongs to the scope in which it was created', async () => {
  const { hash, name } = await shared()
  server.put({ 'elsewhere/pub/other.txt': 'SECRET' })
  await changeUser(name, { scope: '/elsewhere' })
  for (const rest of ['', '/other.txt']) expect(await statusOf(info(hash, rest))).toBe(404)
  await changeUser(name, { scope: `${name}/` })
  expect(await statusOf(info(hash))).toBe(200)
})

test('rules and hidden files of the owner apply below a share, behind symlinks too', async () => {
  const rules = [{ regex: false, allow: false, path: '/pub/sub', regexp: { raw: '' } }]
  const { hash, name } = await shared('/pub', { hideDotfiles: true, rules })
  server.link('sub', `${name}/pub/way`)
  server.link('.env', `${name}/pub/env`)
  const names = (await jsonIn<FolderResource>(info(hash))).items.map((item) => item.name)
  expect(names).toEqual(['a.txt', 'film.mp4', 'film.vtt'])
  for (const rest of ['/sub', '/sub/none', '/.env', '/way', '/env', '/way/b%20%C3%A9.txt'])
    for (const ask of [info, download]) expect(await statusOf(ask(hash, rest))).toBe(403)

  await changeUser(name, { rules: [{ regex: false, allow: false, path: '/pub', regexp: { raw: '' } }] })
  expect(await statusOf(info(hash))).toBe(403)
  expect(await statusOf(download(hash, '/a.txt'))).toBe(403)
})

test('symlinks in a share lead only to entries of the share', async () => {
  const { hash, name } = await shared()
  server.link('sub', `${name}/pub/inside`)
  server.link(`${server.root}/${name}/pub/a.txt`, `${name}/pub/absolute`)
  server.link('../secret.txt', `${name}/pub/outside`)
  server.link('..', `${name}/pub/up`)
  server.link('/etc', `${name}/pub/etc`)
  expect(await (await download(hash, '/inside/b%20%C3%A9.txt')).text()).toBe('public B')
  expect(await (await download(hash, '/absolute')).text()).toBe('public A')
  for (const rest of ['/outside', '/up', '/up/secret.txt', '/etc', '/etc/passwd'])
    for (const ask of [info, download]) expect(await statusOf(ask(hash, rest))).toBe(403)
  const names = (await jsonIn<FolderResource>(info(hash))).items.map((item) => item.name)
  expect(names).toEqual(['inside', 'sub', '.env', 'a.txt', 'absolute', 'film.mp4', 'film.vtt'])
})

test('a symlink can be shared while its target is in the scope', async () => {
  const { ask, name } = await shared()
  server.link('pub', `${name}/door`)
  server.link('pub/a.txt', `${name}/alias.txt`)
  const share = (path: string) => jsonIn<ShareLink>(ask(`/api/share${path}`, { method: 'POST', body: '{}' }))
  const [door, alias, deep] = [await share('/door'), await share('/alias.txt'), await share('/door/sub')]
  expect(await jsonIn(info(door.hash))).toMatchObject({ name: 'door', numFiles: 4 })
  expect(await jsonIn(info(deep.hash))).toMatchObject({ name: 'sub', numFiles: 1 })
  expect(await (await download(alias.hash)).text()).toBe('public A')
  expect((await download(alias.hash)).headers.get('content-disposition')).toContain('alias.txt')
  await changeUser(name, { rules: [{ regex: false, allow: false, path: '/pub', regexp: { raw: '' } }] })
  for (const { hash } of [door, alias, deep]) expect(await statusOf(info(hash))).toBe(403)
})

test('a shared folder is downloaded as an archive of its visible entries', async () => {
  const rules = [{ regex: false, allow: false, path: '/pub/sub', regexp: { raw: '' } }]
  const { hash, name } = await shared('/pub', { rules, hideDotfiles: true })
  server.link('../secret.txt', `${name}/pub/outside`)
  const whole = await download(hash, '?algo=tar')
  expect(whole.headers.get('content-disposition')).toBe("attachment; filename*=utf-8''pub.tar")
  const text = await whole.text()
  expect(text).toContain('public A')
  for (const hidden of ['public B', 'SECRET', 'dotfile']) expect(text).not.toContain(hidden)
  for (const list of ['../secret.txt', '..%252Fpub-secret%252Fs.txt', 'sub', '.env', 'outside']) {
    const part = await download(hash, `?algo=tar&files=a.txt,${list}`)
    expect(await part.text()).not.toMatch(/SECRET|public B|dotfile/)
  }
  expect(await statusOf(download(hash, '/sub?algo=tar'))).toBe(403)

  const body = new URLSearchParams({ algo: 'tar' })
  for (const file of ['a.txt', 'sub', '.env', 'outside']) body.append('files', file)
  const byForm = await server.ask(`/api/public/dl/${hash}`, { method: 'POST', body })
  expect(byForm.status).toBe(200)
  const chosen = await byForm.text()
  expect(chosen).toContain('public A')
  expect(chosen).not.toMatch(/SECRET|public B|dotfile/)
})

test('a large shared folder is listed completely, with its token', async () => {
  const { ask, name } = await shared()
  server.put(Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`${name}/big/${index}.txt`, ''])))
  const body = JSON.stringify({ password: 'open sesame' })
  const { hash } = await jsonIn<ShareLink>(ask('/api/share/big', { method: 'POST', body }))
  const folder = await jsonIn<FolderResource & SharedResource>(info(hash, '', say('open%20sesame')))
  expect(folder.items).toHaveLength(2500)
  expect(folder.token).toBeString()
})

test('the log does not contain share links', async () => {
  const { hash, ask } = await shared('/pub', { terms: { password: 'open sesame' } })
  for (const path of ['dl', 'share', 'preview/thumb', 'subtitle'])
    await statusOf(server.ask(`/api/public/${path}/${hash}/nope.txt?token=wrong`))
  await statusOf(server.ask(`/share/${hash}`, { method: 'POST' }))
  const { name } = await shared()
  await statusOf((await server.as(name))(`/api/share/${hash}`, { method: 'DELETE' }))
  expect(await statusOf(ask('/api/resources/nope?auth=a.secret.token'))).toBe(404)
  const told = JSON.stringify(server.logged)
  expect(told).toContain('/api/public/dl/')
  expect(told).not.toContain(hash)
  expect(told).not.toContain('a.secret.token')
})

test('the type of a text shows whether its owner may change it', async () => {
  const [writer, reader] = [await shared('/pub'), await shared('/pub', { lacks: ['modify'] })]
  for (const [{ hash }, type] of [
    [writer, 'text'],
    [reader, 'textImmutable'],
  ] as const) {
    expect(await jsonIn(info(hash, '/a.txt'))).toMatchObject({ type })
  }
})
