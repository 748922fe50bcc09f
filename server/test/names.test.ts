import { afterAll, expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderResource, Resource } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
const alice = await server.as('alice')
afterAll(() => server.stop())

const names = [
  'ünïcödé.txt',
  'e\u0301 as two characters.txt',
  '日本語.txt',
  '😀 👨‍👩‍👧.txt',
  '100%.txt',
  '%41%2e%2e.txt',
  'a#b?c=d&e.txt',
  'a+b c.txt',
  `"double" 'single' \`back\`.txt`,
  'cr\rlf\n.txt',
  'tab\tbell\u0007del\u007f.txt',
  'trailing space ',
  ' leading space',
  'trailing dot.',
  '...',
  '.. two',
  'back\\slash.txt',
  'semi;colon, comma: colon.txt',
  '<img src=x onerror=alert(1)>.txt',
  '*?[]{}!.txt',
  '-rf',
  '~',
  '$(id)',
  '\u202egpj.exe',
  'CON',
  '__proto__',
  'constructor',
  'a'.repeat(255),
  `${'é'.repeat(127)}x`,
]

test.each(names)('the name %j is accepted', async (name) => {
  const folder = join(server.root, 'names')
  rmSync(folder, { recursive: true, force: true })
  const address = `/api/resources/names/${encodeURIComponent(name)}`
  const rename = (from: string, to: string) => {
    const destination = encodeURIComponent(encodeURIComponent(`/names/${to}`))
    return statusOf(
      alice(`/api/resources/names/${encodeURIComponent(from)}?action=rename&destination=${destination}`, {
        method: 'PATCH',
      }),
    )
  }

  expect(await statusOf(alice(address, { method: 'POST', body: name }))).toBe(200)
  expect(readdirSync(folder)).toEqual([name])
  const [item] = (await jsonIn<FolderResource>(alice('/api/resources/names'))).items
  expect([item?.name, item?.path]).toEqual([name, `/names/${name}`])
  expect(await jsonIn<Resource>(alice(address))).toMatchObject({ name, path: `/names/${name}` })
  expect(await (await alice(`/api/raw/names/${encodeURIComponent(name)}`)).text()).toBe(name)

  expect(await rename(name, 'plain')).toBe(200)
  expect(readdirSync(folder)).toEqual(['plain'])
  expect(await rename('plain', name)).toBe(200)
  expect(readdirSync(folder)).toEqual([name])
  expect(await statusOf(alice(address, { method: 'DELETE' }))).toBe(204)
  expect(readdirSync(folder)).toEqual([])
})

test.each([
  ['256 bytes', 'a'.repeat(256)],
  ['256 bytes in fewer characters', 'é'.repeat(128)],
  ['5,000 characters', 'a'.repeat(5000)],
])('a name of %s is refused in every place', async (_what, name) => {
  server.put({ 'long/a.txt': 'a' })
  const encoded = encodeURIComponent(name)
  for (const [method, path] of [
    ['POST', `/long/${encoded}`],
    ['POST', `/long/${encoded}/`],
    ['POST', `/long/${encoded}/b.txt`],
    ['PATCH', `/long/a.txt?action=copy&destination=%2Flong%2F${encoded}`],
    ['PATCH', `/long/a.txt?action=rename&destination=%2Flong%2F${encoded}`],
  ] as const)
    expect(await statusOf(alice(`/api/resources${path}`, { method, body: method === 'POST' ? 'x' : null }))).toBe(400)
  for (const [method, path] of [
    ['GET', `/api/resources/long/${encoded}`],
    ['GET', `/api/raw/long/${encoded}`],
    ['PUT', `/api/resources/long/${encoded}`],
    ['DELETE', `/api/resources/long/${encoded}`],
  ] as const)
    expect([400, 404]).toContain(await statusOf(alice(path, { method, body: method === 'PUT' ? 'x' : null })))
  expect(readdirSync(join(server.root, 'long'))).toEqual(['a.txt'])
})
