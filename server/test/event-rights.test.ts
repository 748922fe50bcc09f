import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Grant, ServerEvent } from '@filestead/contract'
import { draftPrefix } from '../src/storage/path.ts'
import { changeUser } from '../src/users/users.ts'
import { jsonIn } from './answers.ts'
import { type EventStream, openEvents, openFolder } from './event-stream.ts'
import { type Ask, startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('boss', { isAdmin: true })
await server.addUser('ann', { scope: '/home/ann' })
await server.addUser('ruled', { rules: [{ regex: false, allow: false, path: '/open/hidden', regexp: null }] })
const [boss, ann] = [await server.as('boss'), await server.as('ann')]
const at = (path: string) => join(server.root, path)

/** The names that a stream has told about, in whatever way. */
function namesIn(stream: EventStream): string[] {
  const ofFolder = (event: ServerEvent) =>
    event.name === 'folder' ? [...event.data.put.map(({ name }) => name), ...event.data.gone] : []
  return [...new Set(stream.told.flatMap(ofFolder))]
}

const untilTold = (stream: EventStream, wanted: string) =>
  stream.until('folder', ({ put }) => put.some(({ name }) => name === wanted))

async function grant(subject: string, folder: string, rights: string[]): Promise<Grant> {
  const body = JSON.stringify({ subject, mount: 1, folder, rights })
  return jsonIn<Grant>(boss('/api/grants', { method: 'POST', body }))
}

test('a name that rules hide is never told, neither when it comes nor when it goes', async () => {
  server.put({ 'open/': '' })
  await using stream = await openEvents(await server.as('ruled'), openFolder('/open', '/open/hidden'))
  expect(Object.keys((await stream.until('hello')).folders)).toEqual(['/open'])
  await boss('/api/resources/open/hidden', { method: 'POST', body: 'by this server' })
  await boss('/api/resources/open/hidden', { method: 'DELETE' })
  writeFileSync(at('open/hidden'), 'by another program')
  renameSync(at('open/hidden'), at('open/seen.txt'))
  await untilTold(stream, 'seen.txt')
  rmSync(at('open/seen.txt'))
  await stream.until('folder', ({ gone }) => gone.includes('seen.txt'))
  expect(namesIn(stream)).toEqual(['seen.txt'])
  expect(JSON.stringify(stream.told)).not.toContain('hidden')
})

test('a change below a hidden folder is told in no folder above, and one that can be seen is', async () => {
  server.put({ 'above/way/hidden/deep/': '', 'above/way/open/': '', 'above/other/': '' })
  const rules = [{ regex: false, allow: false, path: '/above/way/hidden', regexp: null }]
  await server.addUser('beside', { rules })
  await using stream = await openEvents(await server.as('beside'), openFolder('/above', '/above/way'))
  await stream.until('hello')
  for (const name of ['one', 'two'])
    await boss(`/api/resources/above/way/hidden/deep/${name}`, { method: 'POST', body: 'hidden' })
  await boss('/api/resources/above/way/hidden/made/by/this/', { method: 'POST' })
  await boss('/api/resources/above/other/x.txt', { method: 'POST', body: 'seen' })
  await untilTold(stream, 'other')
  expect(namesIn(stream)).toEqual(['other'])
  await boss('/api/resources/above/way/open/made/by/x.txt', { method: 'POST', body: 'seen' })
  await untilTold(stream, 'way')
  await untilTold(stream, 'open')
})

test('a change below a letter box is not told in the folders above', async () => {
  server.put({ 'post/box/inner/': '', 'post/open/': '' })
  await server.addUser('sender', { scope: '/home/sender' })
  const users = await jsonIn<{ id: number; username: string }[]>(boss('/api/users'))
  const subject = `user:${users.find(({ username }) => username === 'sender')?.id}`
  await grant(subject, '/post', ['see'])
  await grant(subject, '/post/box', ['create'])
  const sender = await server.as('sender')
  const mounts = await jsonIn<{ name: string; path: string; isHome?: boolean }[]>(sender('/api/mounts'))
  const post = `${mounts.find(({ isHome }) => isHome !== true)?.path}/post`
  await using stream = await openEvents(sender, openFolder(post))
  expect(Object.keys((await stream.until('hello')).folders)).toEqual([post])
  await boss('/api/resources/post/box/inner/letter.txt', { method: 'POST', body: 'x' })
  await boss('/api/resources/post/open/x.txt', { method: 'POST', body: 'x' })
  await untilTold(stream, 'open')
  expect(namesIn(stream)).toEqual(['open'])
})

test('drafts are never told, neither of this server nor what looks like one', async () => {
  server.put({ 'drafts/': '' })
  await using stream = await openEvents(boss, openFolder('/drafts'))
  await stream.until('hello')
  writeFileSync(at(`drafts/${draftPrefix}x`), 'a draft')
  rmSync(at(`drafts/${draftPrefix}x`))
  await boss('/api/resources/drafts/saved.bin', { method: 'POST', body: new Uint8Array(200_000) })
  writeFileSync(at('drafts/last.txt'), 'behind it')
  await untilTold(stream, 'last.txt')
  expect(namesIn(stream).toSorted()).toEqual(['last.txt', 'saved.bin'])
})

test('an account is told of its home by its own paths, and of nothing beside it', async () => {
  server.put({ 'home/ann/docs/': '', 'home/bob/': '' })
  expect((await ann(`/api/events${openFolder('/../bob')}`)).status).toBe(400)
  await using stream = await openEvents(ann, openFolder('/', '/docs', '/home/ann'))
  expect(Object.keys((await stream.until('hello')).folders)).toEqual(['/', '/docs'])
  await boss('/api/resources/home/bob/secret.txt', { method: 'POST', body: 's' })
  await boss('/api/resources/home/ann/docs/a.txt', { method: 'POST', body: 'a' })
  const { folder, put } = await untilTold(stream, 'a.txt')
  expect([folder, put[0]?.path]).toEqual(['/docs', '/docs/a.txt'])
  // The folder above shows another time of the folder in which something was made.
  expect(await untilTold(stream, 'docs')).toMatchObject({ folder: '/' })
  expect(JSON.stringify(stream.told)).not.toContain('secret')
})

test('rights that are taken away count for the next event, and the client learns that the folder is another one', async () => {
  server.put({ 'team/a.txt': 'a' })
  const given = await grant('everybody', '/team', ['see', 'download'])
  const names = await jsonIn<{ name: string }[]>(ann('/api/mounts'))
  const team = `/${names.find((mount) => !('isHome' in mount && mount.isHome))?.name}/team`
  await using stream = await openEvents(ann, openFolder(team))
  expect(Object.keys((await stream.until('hello')).folders)).toEqual([team])
  writeFileSync(at('team/before.txt'), 'seen')
  await untilTold(stream, 'before.txt')

  await boss(`/api/grants/${given.id}`, { method: 'DELETE' })
  writeFileSync(at('team/after.txt'), 'not for ann')
  await stream.until('stale', ({ folder }) => folder === team)
  await stream.until('notice', ({ topic }) => topic === 'access')
  // Told behind ann, so that whatever is told to both has reached ann before.
  await using witness = await openEvents(boss, openFolder('/team'))
  await witness.until('hello')
  mkdirSync(at('team/later'))
  await boss('/api/resources/team/own.txt', { method: 'POST', body: 'own' })
  for (const name of ['later', 'own.txt']) await untilTold(witness, name)
  expect(namesIn(stream)).toEqual(['before.txt'])

  stream.forget()
  await grant('everybody', '/team', ['see'])
  await stream.until('stale', ({ folder }) => folder === team)
  writeFileSync(at('team/again.txt'), 'seen again')
  await untilTold(stream, 'again.txt')
})

test('other permissions of an account are told to it', async () => {
  await server.addUser('dora')
  const dora = await server.as('dora')
  server.put({ 'wide/': '' })
  await using stream = await openEvents(dora, openFolder('/wide'))
  await stream.until('hello')
  const { deps } = server.app
  const users = await jsonIn<{ id: number; username: string }[]>(boss('/api/users'))
  const id = users.find(({ username }) => username === 'dora')?.id ?? 0
  await changeUser(deps, await deps.settings(), id, {
    rules: [{ regex: false, allow: false, path: '/wide/x', regexp: null }],
  })
  await stream.until('notice', ({ topic }) => topic === 'access')
  await stream.until('stale', ({ folder }) => folder === '/wide')
})

test('guests listen where grants let them, and are cut off when no grant does', async () => {
  server.put({ 'public/': '' })
  const guest: Ask = (path, init) => fetch(server.url + path, init)
  expect((await guest('/api/events')).status).toBe(401)
  const given = await grant('guest', '/public', ['see'])
  await using stream = await openEvents(guest, openFolder('/public', '/open'))
  expect(Object.keys((await stream.until('hello')).folders)).toEqual(['/public'])
  writeFileSync(at('public/poster.txt'), 'for all')
  await untilTold(stream, 'poster.txt')
  await boss(`/api/grants/${given.id}`, { method: 'DELETE' })
  await stream.ended
})

test.each(['sign-out', 'removal of the account'] as const)('a stream ends with its session: %s', async (how) => {
  const name = how === 'sign-out' ? 'eve' : 'fred'
  await server.addUser(name)
  const ask = await server.as(name)
  await using stream = await openEvents(ask, openFolder('/'))
  await stream.until('hello')
  if (how === 'sign-out') await ask('/api/logout', { method: 'POST' })
  else {
    const users = await jsonIn<{ id: number; username: string }[]>(boss('/api/users'))
    await boss(`/api/users/${users.find(({ username }) => username === name)?.id}`, {
      method: 'DELETE',
      body: JSON.stringify({ current_password: 'correct horse battery' }),
    })
  }
  await stream.ended
  expect((await ask('/api/events')).status).toBe(401)
})
