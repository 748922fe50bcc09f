import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderResource } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { everything, move, startAttacked } from './attacked.ts'
import { snapshot } from './disk.ts'
import { filesIn } from './rights-doors.ts'
import { sendBytes, sendRaw } from './socket.ts'
import { tusOf } from './tus.ts'
import { startTwoMounts } from './two-mounts.ts'

const world = await startAttacked()
const { server, photos, folder, token, eve, onDisk } = world
afterAll(() => server.stop())
beforeEach(world.reset)

/** Paths that must lead an ordinary user to nothing of others, as they are sent. */
const tricks = [
  '/Home/../',
  '/Home/../Photos/secret',
  '/Home/../Files/users/bob',
  '/Home/%2e%2e/bob/secret.txt',
  '/Home/%2e%2e/%2e%2e/secret.txt',
  '/Home/..%2f..%2fsecret.txt',
  '/Home/..%5c..%5csecret.txt',
  '/Home//..//bob/secret.txt',
  '/Home/box/../../../bob/secret.txt',
  '//Photos/secret/secret.txt',
  '/./Photos/secret/secret.txt',
  '/%2e/Photos/secret/secret.txt',
  '/Photos/../Photos/secret/secret.txt',
  '/Photos/family/../secret/secret.txt',
  '/Photos/family/%2e%2e/secret/secret.txt',
  '/Photos/family/%2e%2e%2fsecret/secret.txt',
  '/Photos/family/hidden/secret.txt',
  '/Photos/family/hidden%2fsecret.txt',
  '/Photos/family/Hidden/secret.txt',
  '/Photos/family/hidden./secret.txt',
  '/Photos/family/hidden%20/secret.txt',
  '/Photos/family/hidden%00/secret.txt',
  '/Photos/family/./hidden/secret.txt',
  '/Photos/family//hidden/secret.txt',
  '/Photos/family/inside/secret.txt',
  '/Photos/family/across/secret.txt',
  '/Home/across/secret.txt',
  '/Home/sideways/secret.txt',
  '/Photos/secret/secret.txt',
  '/Photos/secret.txt',
  '/Photos/drop/taken.txt',
  '/photos/secret/secret.txt',
  '/PHOTOS/secret/secret.txt',
  '/Photos./secret/secret.txt',
  '/Photos%20/secret/secret.txt',
  '/Photos%00/secret/secret.txt',
  '/Photo%C5%BF/secret/secret.txt',
  '/%EF%BC%B0hotos/secret/secret.txt',
  '/Photos%E2%80%8B/secret/secret.txt',
  '/Files/users/bob/secret.txt',
  '/Files/secret.txt',
  '/Home/users/bob/secret.txt',
  '/1:/secret.txt',
  '/1%3A/secret.txt',
  `/${photos}:/secret/secret.txt`,
  `/${photos}%3A/secret/secret.txt`,
  `/Photos/${photos}:/secret/secret.txt`,
  `/Home/${photos}:/secret/secret.txt`,
  '/users/bob/secret.txt',
  '/secret.txt',
]

test.each(tricks)('%s leads an ordinary user to nothing of others', async (path) => {
  const before = onDisk()
  const requests: [string, string, string?][] = [
    ['GET', `/api/resources${path}`],
    ['HEAD', `/api/resources${path}`],
    ['GET', `/api/resources${path}?recursive=true`],
    ['GET', `/api/resources${path}?checksum=md5`],
    ['GET', `/api/resources/recursive${path}`],
    ['GET', `/api/raw${path}`],
    ['GET', `/api/raw${path}?algo=tar`],
    ['GET', `/api/raw${path}/..?algo=tar`],
    ['GET', `/api/search${path}?query=secret`],
    ['GET', `/api/preview/thumb${path}`],
    ['GET', `/api/subtitle${path}`],
    ['GET', `/api/folders${path}`],
    ['GET', `/api/folder-size${path}`],
    ['PUT', `/api/resources${path}`, 'EVIL'],
    ['POST', `/api/resources${path}?override=true`, 'EVIL'],
    ['DELETE', `/api/resources${path}`],
    ['PATCH', `/api/resources${path}?action=copy&destination=%2FHome%2Fstolen.txt`],
    ['PATCH', `/api/resources${path}?action=rename&destination=%2FHome%2Fstolen.txt`],
    ['POST', `/api/share${path}`, '{}'],
    ['PUT', `/api/favourites${path}`],
    ['POST', `/api/tus${path}?override=true`],
  ]
  for (const [method, target, body] of requests) {
    const headers = { 'x-auth': token, ...(target.startsWith('/api/tus') && { 'upload-length': '4' }) }
    const head = body === undefined ? headers : { ...headers, 'content-length': String(body.length) }
    const answer =
      body === undefined
        ? await sendRaw(server.url, method, target, head)
        : await sendBytes(
            server.url,
            `${method} ${target} HTTP/1.1\r\nhost: ${new URL(server.url).host}\r\nconnection: close\r\n${Object.entries(
              head,
            )
              .map(([name, value]) => `${name}: ${value}\r\n`)
              .join('')}\r\n${body}`,
          )
    expect([method, target, answer.body.includes('CANARY')]).toEqual([method, target, false])
    expect([method, target, answer.status >= 500 && answer.status !== 501]).toEqual([method, target, false])
  }
  const isOfOthers = (path: string) => !path.startsWith('users/eve/')
  const kept = ([files, pictures]: Record<string, string>[]) => [
    Object.entries(files ?? {}).filter(([path]) => isOfOthers(path)),
    Object.entries(pictures ?? {}).filter(([path]) => !path.startsWith('drop/')),
  ]
  const after = onDisk()
  expect(kept(after)).toEqual(kept(before))
  expect(JSON.stringify(Object.entries(after[0] ?? {}).filter(([path]) => !isOfOthers(path)))).not.toContain('CANARY')
  expect(after[1]?.['drop/taken.txt']).toBe('CANARY')
})

test('names of parts cannot be taken, moved, removed, shared or made', async () => {
  await world.grant('user:2', `${photos}:/`, everything)
  await world.grant('user:2', '/', everything)
  const before = onDisk()
  for (const part of ['/Home', '/Photos', '/Files', '/Nothing', '/']) {
    expect([part, await statusOf(eve(`/api/resources${part}`, { method: 'DELETE' }))]).toEqual([
      part,
      part === '/Nothing' ? 404 : 403,
    ])
    for (const action of ['copy', 'rename']) {
      expect(await move(eve, action, '/Home/own.txt', part)).toBeGreaterThanOrEqual(400)
      expect(await move(eve, action, '/Home/own.txt', part, '&override=true')).toBeGreaterThanOrEqual(400)
    }
    expect(await move(eve, 'rename', part, '/Elsewhere')).toBeGreaterThanOrEqual(400)
    expect(await move(eve, 'rename', part, '/Home/inside')).toBeGreaterThanOrEqual(400)
    expect(await statusOf(eve(`/api/resources${part}`, { method: 'PUT', body: 'x' }))).toBeGreaterThanOrEqual(400)
    expect(
      await statusOf(eve(`/api/tus${part}`, { method: 'POST', headers: { 'upload-length': '1' } })),
    ).toBeGreaterThanOrEqual(400)
  }
  for (const address of ['/api/resources/new.txt', '/api/resources/new/', '/api/resources/new/deep.txt'])
    expect(await statusOf(eve(address, { method: 'POST', body: 'x' }))).toBeGreaterThanOrEqual(400)
  const batch = await eve('/api/uploads', { method: 'POST', body: '{"path":"/new.txt","length":1}\nx' })
  expect((JSON.parse(await batch.text()) as { status: number }).status).toBeGreaterThanOrEqual(400)
  expect(await statusOf(eve('/api/share/', { method: 'POST', body: '{}' }))).toBeGreaterThanOrEqual(400)
  expect(onDisk()).toEqual(before)
})

test('a copy of a part holds nothing that the account may not read', async () => {
  await move(eve, 'copy', '/Photos', '/Home/copied')
  await move(eve, 'copy', '/Photos/family', '/Home/copied-too')
  expect(JSON.stringify(snapshot(join(server.root, 'users/eve')))).not.toContain('CANARY')
  expect(existsSync(join(server.root, 'users/eve/copied-too'))).toBe(false)
})

test('an archive of everything holds nothing that the account may not read', async () => {
  for (const address of [
    '/api/raw/?algo=tar',
    '/api/raw/Photos?algo=tar',
    '/api/raw/?files=Home,Photos,Files&algo=tar',
  ]) {
    const answer = await eve(address)
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(bytes.includes('CANARY')).toBe(false)
    if (answer.status === 200) expect((await filesIn(bytes)).filter((name) => /secret|taken/.test(name))).toEqual([])
  }
})

test('names in a letter box can be neither told nor replaced', async () => {
  const answers = async (name: string) =>
    Promise.all(
      ['/api/resources', '/api/raw', '/api/preview/thumb', '/api/folders'].map((door) =>
        statusOf(eve(`${door}/Photos/drop/${name}`)),
      ),
    )
  expect(await answers('taken.txt')).toEqual(await answers('free.txt'))
  expect((await jsonIn<FolderResource>(eve('/api/resources/Photos/drop'))).items).toEqual([])
  const tus = tusOf(eve)
  const tries = [
    () => eve('/api/resources/Photos/drop/taken.txt', { method: 'POST', body: 'EVIL' }),
    () => eve('/api/resources/Photos/drop/taken.txt?override=true', { method: 'POST', body: 'EVIL' }),
    () => eve('/api/resources/Photos/drop/taken.txt', { method: 'PUT', body: 'EVIL' }),
    () => tus.create('/Photos/drop/taken.txt?override=true', 4),
    () => tus.create('/Photos/drop/taken.txt', 0),
  ]
  for (const attempt of tries) expect(await statusOf(attempt())).toBeGreaterThanOrEqual(400)
  for (const action of ['copy', 'rename'])
    expect(await move(eve, action, '/Home/own.txt', '/Photos/drop/taken.txt', '&override=true')).toBeGreaterThanOrEqual(
      400,
    )
  expect(snapshot(folder)['drop/taken.txt']).toBe('CANARY')
  expect(await statusOf(eve('/api/resources/Photos/drop/mine.txt', { method: 'POST', body: 'mine' }))).toBe(200)
  expect(await statusOf(eve('/api/resources/Photos/drop/mine.txt'))).toBe(403)
  expect(await statusOf(eve('/api/resources/Photos/drop/mine.txt', { method: 'DELETE' }))).toBe(403)
})

test('nothing comes into another mount without the right to create there, and the source stays', async () => {
  const before = onDisk()
  for (const action of ['copy', 'rename'])
    for (const to of [
      '/Photos/family/x.txt',
      '/Photos/x.txt',
      '/Photos/secret/x.txt',
      '/Files/x.txt',
      '/Photos/family/one.txt',
    ]) {
      expect(await move(eve, action, '/Home/own.txt', to)).toBeGreaterThanOrEqual(400)
      expect(await move(eve, action, '/Home/own.txt', to, '&override=true')).toBeGreaterThanOrEqual(400)
      expect(await move(eve, action, '/Home/box', to, '&rename=true')).toBeGreaterThanOrEqual(400)
    }
  const encoded = encodeURIComponent(encodeURIComponent('/Home/../Photos/family/x.txt'))
  expect(
    await statusOf(eve(`/api/resources/Home/own.txt?action=rename&destination=${encoded}`, { method: 'PATCH' })),
  ).toBeGreaterThanOrEqual(400)
  expect(onDisk()).toEqual(before)
})

test('a symlink that leads from one mount into another shows what grants allow there', async () => {
  await using open = await startTwoMounts({ followExternalSymlinks: true })
  await open.server.addUser('eve', { scope: '/users/eve' })
  mkdirSync(join(open.server.root, 'users/eve'), { recursive: true })
  open.put({ 'secret/secret.txt': 'CANARY', 'family/one.txt': 'one' })
  open.server.put({ 'users/bob/secret.txt': 'CANARY' })
  open.server.link(join(open.folder, 'secret'), 'users/eve/secret')
  open.server.link(join(open.server.root, 'users/bob'), 'users/eve/bob')
  open.server.link(join(open.folder, 'family'), 'users/eve/family')
  await open.grant('user:2', `${open.photos}:/family`, ['download'])
  const ask = await open.server.as('eve')
  for (const path of ['/Home/secret', '/Home/secret/secret.txt', '/Home/bob', '/Home/bob/secret.txt'])
    for (const door of ['/api/resources', '/api/raw']) {
      const answer = await ask(`${door}${path}`)
      expect([path, (await answer.text()).includes('CANARY'), [403, 404].includes(answer.status)]).toEqual([
        path,
        false,
        true,
      ])
    }
  const packed = Buffer.from(await (await ask('/api/raw/Home?algo=tar')).arrayBuffer())
  expect(packed.includes('CANARY')).toBe(false)
  expect(await statusOf(ask('/api/resources/Home/family/x.txt', { method: 'POST', body: 'x' }))).toBe(403)
})
