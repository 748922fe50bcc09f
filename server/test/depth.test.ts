import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecursiveEntry } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { startServer } from './server.ts'
import { tusOf } from './tus.ts'

const server = await startServer()
const harmless = { regex: false, allow: false, path: '/never', regexp: null }
const pattern = { regex: true, allow: false, path: '', regexp: { raw: '/never$' } }
await server.addUser('alice')
await server.addUser('ruled', { rules: [harmless, pattern] })
const [alice, ruled] = [await server.as('alice'), await server.as('ruled')]
afterAll(() => server.stop())

const at = (path: string) => join(server.root, path)
const chain = (levels: number, name = 'a') => Array(levels).fill(name).join('/')

/** A tree deeper than the longest path: subtrees are moved into each other, the innermost first. */
function makeDeep(top: string, pieces: number, levels = 1000): void {
  for (let piece = 0; piece < pieces; piece += 1) {
    const name = piece === pieces - 1 ? top : `piece${piece}`
    mkdirSync(at(`${name}/${chain(levels)}`), { recursive: true })
    if (piece === 0) writeFileSync(at(`${name}/${chain(levels)}/bottom.txt`), 'deep down')
    else renameSync(at(`piece${piece - 1}`), at(`${name}/${chain(levels)}/b`))
  }
}

beforeEach(() => {
  server.put({ 'file.txt': 'x' })
})

const send = (method: string, path: string, ask = alice) =>
  ask(`/api/resources${path}`, { method, ...(method !== 'DELETE' && { body: '' }) })
const move = (from: string, to: string, action = 'rename', ask = alice) =>
  send('PATCH', `${from}?action=${action}&destination=${encodeURIComponent(to)}`, ask)

test('a tree deeper than the longest path is listed, searched and removed', async () => {
  makeDeep('abyss', 3, 720)
  const flat = await jsonIn<RecursiveEntry[]>(alice('/api/resources/?recursive=true'))
  expect(flat.length).toBeGreaterThan(1000)
  const found = await alice('/api/search/?query=b')
  expect([found.status, (await found.text()).length > 0]).toEqual([200, true])
  expect((await alice('/api/raw/abyss?algo=tar')).status).toBe(200)
  expect(await statusOf(send('DELETE', '/abyss', ruled))).toBe(204)
  expect(existsSync(at('abyss'))).toBe(false)
})

test('a tree deeper than the longest path is refused with a message as a copy, and can be moved', async () => {
  makeDeep('abyss', 2, 350)
  const sentence = '400 Bad Request (folders cannot lie in each other more than 500 deep)\n'
  for (const answer of [await move('/abyss', '/copy', 'copy'), await move('/abyss', '/box/abyss')])
    expect([answer.status, await answer.text()]).toEqual([400, sentence])
  expect([existsSync(at('copy')), existsSync(at('box'))]).toEqual([false, false])
  expect(await statusOf(move('/abyss', '/chasm'))).toBe(200)
  expect(await statusOf(send('DELETE', '/chasm'))).toBe(204)
})

test('folders are made up to 500 levels deep, by every verb', async () => {
  expect(await statusOf(send('POST', `/${chain(500)}/`))).toBe(200)
  expect((await jsonIn<RecursiveEntry[]>(ruled('/api/resources/a?recursive=true'))).length).toBe(499)
  for (const answer of [
    send('POST', `/${chain(501)}/`),
    send('POST', `/${chain(500)}/file.txt`),
    send('POST', `/${chain(1500, 'b')}/`),
    move('/file.txt', `/${chain(500)}/file.txt`),
    move('/file.txt', `/${chain(500)}/file.txt`, 'copy'),
    tusOf(alice).create(`/${chain(500)}/file.txt`, 3),
  ])
    expect((await answer).status).toBe(400)
  expect(existsSync(at('b'))).toBe(false)

  expect(await statusOf(send('POST', `/c/${chain(300)}/`))).toBe(200)
  for (const action of ['rename', 'copy']) expect(await statusOf(move('/c', `/${chain(300)}/c`, action))).toBe(400)
  expect(await statusOf(move('/c', `/${chain(10)}/c`))).toBe(200)
  expect(await statusOf(send('DELETE', '/a'))).toBe(204)
})

test('rules do not slow down requests for a deep folder', async () => {
  mkdirSync(at(`deep/${chain(1700)}`), { recursive: true })
  const begun = process.cpuUsage()
  for (const [from, to] of [
    ['/deep', '/deeper'],
    ['/deeper', '/deep'],
  ] as const)
    expect(await statusOf(move(from, to, 'rename', ruled))).toBe(200)
  expect(await statusOf(send('DELETE', '/deep', ruled))).toBe(204)
  const { user, system } = process.cpuUsage(begun)
  // One rename alone took seven seconds of a processor; all of them take less than one, however busy the machine is.
  expect((user + system) / 1e6).toBeLessThan(5)
})
