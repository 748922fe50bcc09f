import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Favourite, FolderResource, Grant } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { everything, move, startAttacked } from './attacked.ts'
import { jobsOf } from './jobs.ts'
import { sendRaw } from './socket.ts'
import { tusOf } from './tus.ts'

const world = await startAttacked()
const { server, admin, photos, folder, token, eve, family, onDisk } = world
afterAll(() => server.stop())
beforeEach(world.reset)

const bob = await server.as('bob')
const json = (body: unknown) => JSON.stringify(body)

const administration: [string, string, unknown?][] = [
  ['GET', '/api/groups'],
  ['POST', '/api/groups', { name: 'Mine', members: [2] }],
  ['PUT', '/api/groups/1', { name: 'Mine', members: [2] }],
  ['DELETE', '/api/groups/1'],
  ['GET', '/api/users/2/groups'],
  ['GET', '/api/users/1/groups'],
  ['PUT', '/api/users/2/groups', { groups: [1] }],
  ['GET', '/api/grants'],
  ['GET', '/api/grants?subject=user:2'],
  ['POST', '/api/grants', { subject: 'user:2', mount: 1, folder: '/', rights: ['see'] }],
  ['PUT', '/api/grants/1', { rights: everything }],
  ['DELETE', '/api/grants/1'],
  ['GET', '/api/mounts/folders'],
  ['GET', '/api/mounts/folders?folder=/'],
  ['POST', '/api/mounts', { name: 'Mine', folder: '/etc' }],
  ['PUT', '/api/mounts/1', { name: 'Mine' }],
  ['PUT', `/api/mounts/${photos}`, { name: 'Mine', folder: '/etc' }],
  ['DELETE', `/api/mounts/${photos}`],
  ['GET', '/api/access/why?subject=user:2&mount=1&folder=/'],
  ['GET', '/api/access/why?subject=guest&mount=1&folder=/'],
]

test.each(administration)('%s %s is refused to everyone but administrators', async (method, address, ...[body]) => {
  const state = async () => [
    await jsonIn(admin('/api/grants')),
    await jsonIn(admin('/api/groups')),
    await jsonIn(admin('/api/mounts')),
  ]
  await admin('/api/groups', { method: 'POST', body: json({ name: 'Team', members: [] }) })
  const before = await state()
  const request = { method, body: body === undefined ? null : json(body) }
  expect(await statusOf(eve(address, request))).toBe(403)
  expect([401, 403]).toContain(await statusOf(server.ask(address, request)))
  const cookie = { cookie: `auth=${await server.signIn('admin')}` }
  if (method !== 'GET')
    expect([401, 403]).toContain(await statusOf(server.ask(address, { ...request, headers: cookie })))
  expect(await state()).toEqual(before)
})

test('an account learns of mounts no more than the parts of its tree', async () => {
  const text = await (await eve('/api/mounts')).text()
  expect(text).not.toContain(folder)
  expect(text).not.toContain(server.root)
  expect((JSON.parse(text) as { path: string }[]).map(({ path }) => path).sort()).toEqual(['/Home', '/Photos'])
  expect(await (await bob('/api/mounts')).text()).not.toContain('Photos')
})

test.each<[string, unknown]>([
  ...[
    'user:0',
    'user:-1',
    'user:2 or 1=1',
    'group:',
    'everybody ',
    'USER:2',
    'user:2,guest',
    'user:02',
    '',
    'user:é2',
  ].map((subject): [string, unknown] => [`subject ${subject}`, { subject }]),
  ['a user that is not there', { subject: 'user:999' }],
  ['a huge number', { subject: 'user:99999999999999999999999' }],
  ['a group that is not there', { subject: 'group:999' }],
  ['no text', { subject: { $ne: 1 } }],
  ['mount 0', { mount: 0 }],
  ['mount 99', { mount: 99 }],
  ['half a mount', { mount: 1.5 }],
  ['a mount as text', { mount: '1' }],
  ['an unknown right', { rights: ['admin'] }],
  ['rights as text', { rights: 'see' }],
  ['a zero byte', { folder: '/a\0b' }],
  ['a path that leaves', { folder: '/../..' }],
  ['a path that leaves and comes back', { folder: '/a/../../b' }],
  ['a file', { folder: '/secret.txt' }],
])('a grant with %s is refused and leaves nothing', async (_what, wrong) => {
  const before = await jsonIn(admin('/api/grants'))
  const grant = { subject: 'user:2', mount: 1, folder: '/public', rights: ['see'], ...(wrong as object) }
  expect(await statusOf(admin('/api/grants', { method: 'POST', body: json(grant) }))).toBe(400)
  expect(await jsonIn<unknown>(admin('/api/grants'))).toEqual(before)
})

test.each(['//public//', '/public/', '/public/.', '/./public'])(
  'a grant for %j is one for the folder it means',
  async (path) => {
    const made = await admin('/api/grants', {
      method: 'POST',
      body: json({ subject: 'user:2', mount: 1, folder: path, rights: ['see'] }),
    })
    if (made.status === 400) return
    expect([made.status, ((await made.json()) as Grant).folder]).toEqual([201, '/public'])
  },
)

test.each([
  '/api/grants/0',
  '/api/grants/-1',
  '/api/grants/abc',
  '/api/grants/1e3',
  '/api/grants/99999999999999999999999',
  '/api/groups/0',
  '/api/groups/99999999999999999999999',
  '/api/mounts/0',
  '/api/mounts/1',
  '/api/mounts/99999999999999999999999',
])('removing %s answers a refusal', async (address) => {
  const status = await statusOf(admin(address, { method: 'DELETE' }))
  expect([400, 403, 404, 405]).toContain(status)
})

test.each(['Home', 'home', 'HOME', '', ' ', '.', '..', 'a/b', 'a\0b', 'Photos', 'photos', 'Photos '])(
  'a mount cannot be named %j',
  async (name) => {
    const status = await statusOf(admin('/api/mounts/1', { method: 'PUT', body: json({ name }) }))
    expect([400, 409]).toContain(status)
  },
)

test('a favourite is neither made nor shown where its user sees nothing', async () => {
  for (const path of ['/Photos/secret', '/Photos/family/hidden', '/Files/users/bob', '/Nothing'])
    expect([403, 404]).toContain(await statusOf(eve(`/api/favourites${path}`, { method: 'PUT' })))
  expect(await statusOf(eve('/api/favourites/Photos/family', { method: 'PUT' }))).toBe(204)
  const paths = async () => (await jsonIn<Favourite[]>(eve('/api/favourites'))).map(({ path }) => path)
  expect(await paths()).toEqual(['/Photos/family'])
  await world.grant('user:2', family, [])
  expect(await paths()).toEqual([])
})

test('a favourite in a letter box is not shown, wherever it was moved to', async () => {
  world.put({ 'family/albums/': '' })
  await world.grant('user:1', `${photos}:/`, everything)
  expect(await statusOf(eve('/api/favourites/Photos/family/albums', { method: 'PUT' }))).toBe(204)
  expect(await move(admin, 'rename', '/Photos/family/albums', '/Photos/drop/renamed')).toBe(200)
  expect(await (await eve('/api/favourites')).text()).not.toContain('renamed')
})

test('an upload goes on no more once its right is gone', async () => {
  const tus = tusOf(eve)
  const given = await world.grant('user:2', family, ['see', 'create'])
  expect(await statusOf(tus.create('/Photos/family/new.txt', 6))).toBe(201)
  expect(await statusOf(tus.append('/Photos/family/new.txt', 0, 'abc'))).toBe(204)
  await admin(`/api/grants/${given.id}`, { method: 'PUT', body: json({ rights: ['see'] }) })
  expect([403, 404]).toContain(await statusOf(tus.append('/Photos/family/new.txt', 3, 'def')))
  await world.grant('user:2', family, [])
  expect([403, 404]).toContain(await statusOf(tus.append('/Photos/family/new.txt', 3, 'def')))
  expect([403, 404]).toContain(await statusOf(tus.head('/Photos/family/new.txt')))
  expect(existsSync(join(folder, 'family/new.txt'))).toBe(false)
})

test('a version that the client knows answers nothing new once names are hidden', async () => {
  world.put({ 'family/sub/deep.txt': 'x' })
  const listing = await eve('/api/resources/Photos/family')
  const version = listing.headers.get('etag')
  expect(((await listing.json()) as FolderResource).items.map(({ name }) => name)).toContain('sub')
  await world.grant('user:2', `${family}/sub`, [])
  const again = await eve('/api/resources/Photos/family', { headers: { 'if-none-match': version ?? '' } })
  expect(again.status).toBe(200)
  expect(await again.text()).not.toContain('"sub"')
  const rights = await eve('/api/resources/Photos/family')
  await world.grant('user:2', family, everything)
  const told = await eve('/api/resources/Photos/family', {
    headers: { 'if-none-match': rights.headers.get('etag') ?? '' },
  })
  expect(told.status).toBe(200)
})

test('a rename to a name that has more rights is a move, and needs the right to remove', async () => {
  world.put({ 'family/closed/secret.txt': 'CANARY', 'family/file.txt': 'CANARY', 'family/open/mine.txt': 'mine' })
  await world.grant('user:2', family, ['see', 'change'])
  await world.grant('user:2', `${family}/open`, everything)
  await world.grant('user:2', `${family}/later`, everything)
  await world.grant('user:2', `${family}/deeper/inside`, everything)
  const before = onDisk()
  const rename = (from: string, to: string) =>
    move(eve, 'rename', `/Photos/family/${from}`, `/Photos/family/${to}`, '&override=true')
  for (const [from, to] of [
    ['closed', 'open'],
    ['closed', 'later'],
    ['file.txt', 'later'],
    ['closed', 'deeper'],
  ] as const)
    expect([from, to, await rename(from, to)]).toEqual([from, to, 403])
  const moving = (to: string) => ({
    kind: 'move',
    items: [{ from: '/Photos/family/closed', to: `/Photos/family/${to}` }],
  })
  for (const to of ['open', 'later']) expect((await jobsOf(eve).start(moving(to))).status).toBe(403)
  expect(onDisk()).toEqual(before)
  expect(await rename('closed', 'renamed')).toBe(200)
  expect(await statusOf(eve('/api/raw/Photos/family/renamed/secret.txt'))).toBe(403)
})

test('a link opens no more than its owner may, and nothing once that is gone', async () => {
  expect(await statusOf(eve('/api/share/Photos/family', { method: 'POST', body: '{}' }))).toBe(403)
  await world.grant('user:2', family, ['share'])
  const { hash } = await jsonIn<{ hash: string }>(eve('/api/share/Photos/family', { method: 'POST', body: '{}' }))
  const look = async (rest: string) => {
    const answer = await sendRaw(server.url, 'GET', `/api/public/${rest}`)
    expect(answer.body).not.toContain('CANARY')
    return answer.status
  }
  expect(await look(`share/${hash}`)).toBe(200)
  for (const rest of [
    '/hidden',
    '/hidden/secret.txt',
    '/../secret',
    '/..%2fsecret',
    '/%2e%2e/secret',
    '/inside',
    '/across',
  ])
    for (const door of ['share', 'dl']) expect([400, 403, 404]).toContain(await look(`${door}/${hash}${rest}`))
  expect(await look(`dl/${hash}?algo=tar`)).toBe(200)
  await world.grant('user:2', family, ['download'])
  expect([403, 404]).toContain(await look(`share/${hash}`))
  await world.grant('user:2', family, ['share'])
  expect(await look(`share/${hash}`)).toBe(200)
  await world.grant('user:2', family, [])
  for (const rest of ['', '/one.txt']) expect([403, 404]).toContain(await look(`dl/${hash}${rest}`))
})

test('a mount may be named like an address of the API', async () => {
  const rename = (name: string) => admin(`/api/mounts/${photos}`, { method: 'PUT', body: json({ name }) })
  for (const name of ['recursive', 'api', 'files', 'thumb', 'share']) {
    const status = await statusOf(rename(name))
    if (status !== 200) continue
    const { items } = await jsonIn<FolderResource>(eve(`/api/resources/${name}/family`))
    expect(items.map((item) => item.name)).toEqual(['one.txt'])
    expect(await (await eve(`/api/raw/${name}/family/one.txt`)).text()).toBe('one')
    expect([403, 404]).toContain(await statusOf(eve(`/api/resources/${name}/secret`)))
    expect(await statusOf(eve(`/api/resources/recursive/${name}/secret`))).toBeGreaterThanOrEqual(400)
  }
  expect(await statusOf(rename('Photos'))).toBe(200)
})

test('a guest gets what is granted to guests, whatever else is sent along', async () => {
  const guest = server.ask
  expect(await (await guest('/api/raw/Files/public/open.txt')).text()).toBe('open')
  for (const wrong of ['nonsense', `${token}x`])
    expect(await statusOf(guest('/api/raw/Files/public/open.txt', { headers: { 'x-auth': wrong } }))).toBe(401)
  for (const path of ['/Files/public/hidden/secret.txt', '/Files/secret.txt', '/Photos/secret.txt', '/Home/own.txt'])
    for (const door of ['/api/raw', '/api/resources', '/api/preview/thumb'])
      expect([403, 404]).toContain(await statusOf(guest(`${door}${path}`)))
  for (const [method, address] of [
    ['GET', '/api/users'],
    ['GET', '/api/users/0'],
    ['PUT', '/api/users/0'],
    ['GET', '/api/settings'],
    ['GET', '/api/sessions'],
    ['GET', '/api/shares'],
    ['POST', '/api/share/Files/public'],
    ['GET', '/api/favourites'],
    ['PUT', '/api/favourites/Files/public'],
    ['POST', '/api/renew'],
    ['GET', '/api/command/Files/public'],
  ] as const)
    expect([400, 401, 403, 404]).toContain(
      await statusOf(guest(address, { method, body: method === 'PUT' ? '{}' : null })),
    )
})

test('another site cannot use a guest as its hand', async () => {
  const site = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const before = onDisk()
  for (const [method, address] of [
    ['POST', '/api/resources/Files/public/evil.txt'],
    ['POST', '/api/resources/Files/public/evil/'],
    ['POST', '/api/tus/Files/public/evil.txt'],
  ] as const) {
    const headers = { ...site, ...(address.startsWith('/api/tus') && { 'upload-length': '0' }) }
    expect([401, 403]).toContain(await statusOf(server.ask(address, { method, body: 'x', headers })))
  }
  const body = '{"path":"/Files/public/evil.txt","length":1}\nx'
  expect([401, 403]).toContain(await statusOf(server.ask('/api/uploads', { method: 'POST', body, headers: site })))
  expect(onDisk()).toEqual(before)
  expect(await statusOf(server.ask('/api/resources/Files/public/good.txt', { method: 'POST', body: 'x' }))).toBe(200)
})
