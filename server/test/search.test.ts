import { afterAll, expect, test } from 'bun:test'
import { linkSync } from 'node:fs'
import { join } from 'node:path'
import { isOnPostgres } from './database.ts'
import { fillFolder } from './disk.ts'
import { until } from './process.ts'
import { type Ask, startServer } from './server.ts'

const server = await startServer({ searchLimit: 3000 })
afterAll(() => server.stop())

const rule = (allow: boolean, path: string) => ({ regex: false, allow, path, regexp: null })
await server.addUser('alice')
await server.addUser('tidy', { hideDotfiles: true })
await server.addUser('ruled', { scope: '/ruled', rules: [rule(false, '/private'), rule(true, '/private/open')] })
await server.addUser('linked', { scope: '/linked/me', rules: [rule(false, '/hidden')] })
const alice = await server.as('alice')

interface Line {
  dir: boolean
  path: string
}

async function search(ask: Ask, query: string, folder = ''): Promise<string[]> {
  const response = await ask(`/api/search/${folder}?query=${encodeURIComponent(query)}`)
  expect(response.status).toBe(200)
  const lines = (await response.text()).split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Line).map(({ dir, path }) => (dir ? `${path}/` : path))
}

server.put({
  'docs/Report.txt': '',
  'docs/deep/report.pdf': '',
  'docs/deep/.git/report': '',
  'docs/reports/': '',
  'docs/übung/Äpfel.txt': '',
  'ruled/private/report': '',
  'ruled/private/open/report': '',
  'ruled/private/reports/': '',
  'ruled/report': '',
  'linked/out/secret-report': '',
  'linked/me/hidden/report': '',
  'linked/me/real/report': '',
})
server.link('../out', 'linked/me/report-out')
server.link('hidden', 'linked/me/report-hidden')
server.link('real', 'linked/me/report-real')
server.link('.', 'linked/me/report-loop')

test('every line has a path relative to the start, in the order of names', async () => {
  const response = await alice('/api/search/docs/?query=report')
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  const lines = (await response.text()).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as Line)).toEqual([
    { dir: false, path: 'Report.txt' },
    { dir: false, path: 'deep/.git/report' },
    { dir: false, path: 'deep/report.pdf' },
    { dir: true, path: 'reports' },
  ])
})

test('the query is decoded, and case and accents are ignored', async () => {
  expect(await search(alice, 'ÄPFEL')).toEqual(['docs/übung/Äpfel.txt'])
  expect(await search(alice, 'ÜBUNG'.normalize('NFD'), 'docs')).toEqual(['übung/'])
})

test('a search in a missing folder or in a file finds nothing', async () => {
  for (const folder of ['none', 'docs/Report.txt', 'none/below']) expect(await search(alice, '', folder)).toEqual([])
})

test('hidden files and the content of hidden folders are not found', async () => {
  expect(await search(await server.as('tidy'), 'report', 'docs')).toEqual(['Report.txt', 'deep/report.pdf', 'reports/'])
})

test('denied entries are not found, and entries that are allowed again below them are', async () => {
  const ruled = await server.as('ruled')
  expect(await search(ruled, 'report')).toEqual(['private/open/report', 'report'])
  expect(await search(ruled, 'priv')).toEqual([])
  for (const folder of ['private', 'private/none']) {
    const response = await ruled(`/api/search/${folder}?query=report`)
    expect([response.status, await response.text()]).toEqual([403, '403 Forbidden\n'])
  }
})

test('symlinks are found and not followed, and symlinks to denied entries are not found', async () => {
  const linked = await server.as('linked')
  expect(await search(linked, 'report')).toEqual(['real/report', 'report-loop', 'report-real'])
  expect(await search(linked, 'report', 'report-real')).toEqual(['report'])
  for (const folder of ['report-out', 'report-hidden'])
    expect((await linked(`/api/search/${folder}?query=report`)).status).toBe(403)
})

test('with facts a result tells what a listing does; a symlink tells of what it leads to', async () => {
  const linked = await server.as('linked')
  const response = await linked('/api/search/?query=report&facts=true')
  const lines = (await response.text()).trim().split('\n')
  const found = lines.map((line) => JSON.parse(line) as Line & Record<string, unknown>)
  expect(found.map(({ path }) => path)).toEqual(['real/report', 'report-loop', 'report-real'])
  const [file, , folder] = found
  const { path: _, ...listed } = (await (await linked('/api/resources/real/report')).json()) as Record<string, unknown>
  expect(listed).toMatchObject({ size: file?.size, modified: file?.modified, mode: file?.mode, isDir: file?.isDir })
  expect(folder).toMatchObject({ dir: false, isDir: true, isSymlink: true, type: '' })
})

test.skipIf(isOnPostgres)('files of the server are not found under any name', async () => {
  linkSync(join(server.root, '../filestead.db'), join(server.root, 'docs/hard report'))
  expect(await search(alice, 'hard')).toEqual([])
})

test('a search ends after 3000 results, and finds one among 50,000', async () => {
  fillFolder(
    join(server.root, 'huge'),
    Array.from({ length: 50_000 }, (_, at) => `file ${at}`),
  )
  expect((await search(alice, 'file')).length).toBe(3000)

  expect(await search(alice, '49999', 'huge')).toEqual(['file 49999'])
})

test('a search whose client disconnects stops and logs nothing', async () => {
  const logged = server.logged.length
  for (let round = 0; round < 20; round += 1) {
    const stop = new AbortController()
    const response = await alice('/api/search/?query=file', { signal: stop.signal })
    const reader = response.body?.getReader()
    if (round % 2) await reader?.read()
    stop.abort()
  }
  await until(() => server.app.deps.limits.searches.running === 0)
  expect(await search(alice, '"file 4999"', 'huge')).toHaveLength(11)
  expect(server.logged.slice(logged)).toEqual([])
})

test('a search needs no permission to download, and has no content-length', async () => {
  const head = await alice('/api/search/docs?query=report', { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})
