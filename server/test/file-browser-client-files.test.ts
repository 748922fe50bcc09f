import { afterAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { jsonIn, statusOf } from './answers.ts'
import { encodedTwice, namesIn, startServerWithClients } from './file-browser-client.ts'

const { server, ann } = await startServerWithClients()
afterAll(() => server.stop())

const namesThatHurt = [
  ...[
    '100%',
    '50%25',
    '%2F',
    'a+b',
    'a b ',
    'q?x',
    'h#x',
    'a&b=c',
    'c,d;e',
    "(p)'*!",
    '[x]{y}',
    'pi|pe^`',
    'back\\slash',
  ],
  ...['"quote"', '<b>', '..x', 'u\u0308 decomposed', '\u65e5\u672c \u{1f600}', 'new\nline'],
]

/** The names of uploads are encoded further than others, but for three signs that are not. */
const asUploaded = (name: string): string =>
  encodeURIComponent(name)
    .replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%(?:7C|60|5E)/g, decodeURIComponent)

describe('Files in a File Browser client', () => {
  test('are created, listed, opened, saved and deleted', async () => {
    expect(await statusOf(ann.ask('/api/resources/docs/?override=false', { method: 'POST' }))).toBe(200)
    expect(await statusOf(ann.ask('/api/resources/docs/new%20file.md?override=false', { method: 'POST' }))).toBe(200)
    expect(await namesIn(ann, '/api/resources/docs/')).toEqual(['new file.md'])
    const save = await ann.ask('/api/resources/docs/new%20file.md', { method: 'PUT', body: '# Title' })
    expect([save.status, await save.text()]).toEqual([200, '200 OK\n'])
    const opened = await ann.ask('/api/resources/docs/new%20file.md', { headers: { 'X-Encoding': 'false' } })
    expect(await opened.json()).toMatchObject({ type: 'text', content: '# Title', name: 'new file.md' })
    expect(await statusOf(ann.ask('/api/resources/docs/new%20file.md?override=false', { method: 'POST' }))).toBe(409)
    expect(await statusOf(ann.ask('/api/resources/docs/new%20file.md', { method: 'DELETE' }))).toBe(204)
    expect(await namesIn(ann, '/api/resources/docs/')).toEqual([])
  })

  test('with a table are requested as raw text', async () => {
    const latin = Buffer.from('name;caf\xe9\n', 'latin1')
    server.put({ 'table.csv': latin })
    const response = await ann.ask('/api/resources/table.csv', { headers: { 'X-Encoding': 'true' } })
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(Buffer.from(await response.bytes())).toEqual(latin)
    server.put({ 'folder.csv/in.txt': '' })
    const folder = await ann.ask('/api/resources/folder.csv/', { headers: { 'X-Encoding': 'true' } })
    expect(folder.headers.get('content-type')).toContain('application/json')
  })

  test('are checked for conflicts before an upload', async () => {
    server.put({ 'check/a.txt': '1', 'check/sub/b.txt': '22' })
    const found = await jsonIn<Record<string, unknown>[]>(ann.ask('/api/resources/recursive/check/'))
    expect(found.map(({ path, size, isDir }) => [path, size, isDir])).toEqual([
      ['/check/a.txt', 1, false],
      ['/check/sub', expect.any(Number), true],
      ['/check/sub/b.txt', 2, false],
    ])
  })

  test('are moved and copied to a destination that is encoded twice', async () => {
    const name = "100% a+b (1) 'ü'.txt"
    server.put({ [`from/${name}`]: 'content' })
    const patch = (action: string, source: string, target: string, flags = 'override=false&rename=false') =>
      ann.ask(
        `/api/resources${source.split('/').map(encodeURIComponent).join('/')}?action=${action}&destination=${encodedTwice(target)}&${flags}`,
        {
          method: 'PATCH',
        },
      )
    expect(await statusOf(patch('copy', `/from/${name}`, `/to here/${name}`))).toBe(200)
    expect(readdirSync(join(server.root, 'to here'))).toEqual([name])
    expect(await statusOf(patch('rename', `/from/${name}`, `/to here/${name}`))).toBe(409)
    expect(await statusOf(patch('copy', `/from/${name}`, `/to here/${name}`, 'override=false&rename=true'))).toBe(200)
    expect(readdirSync(join(server.root, 'to here')).sort()).toEqual([name, "100% a+b (1) 'ü'(1).txt"].sort())
    expect(await statusOf(patch('rename', `/from/${name}`, `/to here/${name}`, 'override=true&rename=false'))).toBe(200)
    expect(readdirSync(join(server.root, 'from'))).toEqual([])
  })

  test.each(namesThatHurt)('named %j are opened, copied, packed, uploaded and deleted', async (name) => {
    const once = encodeURIComponent(name)
    server.put({ [`hurt/${name}`]: 'x', 'hurt/other/': '' })
    // The client throws away an answer whose path is not the one it asked for.
    expect(await jsonIn<object>(ann.ask(`/api/resources/hurt/${once}`))).toMatchObject({ path: `/hurt/${name}`, name })
    const to = encodeURIComponent(`/hurt/other/${once}`)
    const copy = ann.ask(`/api/resources/hurt/${once}?action=copy&destination=${to}&override=false&rename=false`, {
      method: 'PATCH',
    })
    expect(await statusOf(copy)).toBe(200)
    expect(server.file(`hurt/other/${name}`)).toBe('x')
    const files = encodeURIComponent(`/hurt/${once},/hurt/other/`)
    const packed = Buffer.from(await (await ann.browse(`/api/raw/?files=${files}&algo=zip&`)).bytes())
    const entry = name.replaceAll('\\', '_')
    expect([packed.includes(entry), packed.includes(`other/${entry}`)]).toEqual([true, true])
    const created = await ann.ask(`/api/tus/hurt/up/${asUploaded(name)}?override=false`, {
      method: 'POST',
      headers: { 'Upload-Length': '1' },
    })
    const piece = { 'X-Auth': ann.token, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }
    const address = new URL(created.headers.get('location') ?? '', created.url)
    expect(await statusOf(fetch(address, { method: 'PATCH', body: 'u', headers: piece }))).toBe(204)
    expect(server.file(`hurt/up/${name}`)).toBe('u')
    expect(await statusOf(ann.ask(`/api/resources/hurt/${once}`, { method: 'DELETE' }))).toBe(204)
    expect(readdirSync(join(server.root, 'hurt'))).not.toContain(name)
  })

  test('and folders are addressed with a slash at the end', async () => {
    server.put({ 'slash/a b/in': '1', 'slash/note.txt': 'text' })
    const target = (name: string) => encodeURIComponent(`/slash/${encodeURIComponent(name)}`)
    const patch = (action: string, from: string, to: string) =>
      ann.ask(`/api/resources/slash/${from}/?action=${action}&destination=${target(to)}&override=false&rename=false`, {
        method: 'PATCH',
      })
    expect(await statusOf(patch('copy', 'a%20b', 'c d'))).toBe(200)
    expect(await statusOf(patch('rename', 'c%20d', 'C D'))).toBe(200)
    expect(readdirSync(join(server.root, 'slash')).sort()).toEqual(['C D', 'a b', 'note.txt'])
    expect(await statusOf(ann.ask('/api/resources/slash/C%20D/', { method: 'DELETE' }))).toBe(204)
    // A folder that is uploaded into is made again.
    expect(await statusOf(ann.ask('/api/resources/slash/a%20b/?override=false', { method: 'POST' }))).toBe(200)
    // The bar beside an open file asks for the disk behind that file.
    expect(await jsonIn<object>(ann.ask('/api/usage/slash/note.txt/'))).toEqual({ total: 0, used: 0 })
    expect(await jsonIn<object>(ann.ask('/api/resources/slash/note.txt/'))).toMatchObject({ path: '/slash/note.txt/' })
  })

  test('are named together with their folders', async () => {
    const named = (name: string) => `/api/resources/named/${encodeURIComponent(name)}`
    expect(await statusOf(ann.ask(`${named('new/er/note.txt')}?override=false`, { method: 'POST' }))).toBe(200)
    expect(await jsonIn<object>(ann.ask(named('new/er/note.txt')))).toMatchObject({ path: '/named/new/er/note.txt' })
    expect(await statusOf(ann.ask(`${named('other/folder')}/?override=false`, { method: 'POST' }))).toBe(200)
    const to = encodeURIComponent(`/named/${encodeURIComponent('old/note.txt')}`)
    const renaming = `${named('new/er/note.txt')}?action=rename&destination=${to}&override=false&rename=false`
    expect(await statusOf(ann.ask(renaming, { method: 'PATCH' }))).toBe(200)
    const made = readdirSync(join(server.root, 'named'), { recursive: true }).map(String)
    expect(made.sort()).toEqual(['new', 'new/er', 'old', 'old/note.txt', 'other', 'other/folder'])
  })

  test('are emptied by a save without a body', async () => {
    server.put({ 'emptied.txt': 'text' })
    expect(await statusOf(ann.ask('/api/resources/emptied.txt', { method: 'PUT' }))).toBe(200)
    expect(server.file('emptied.txt')).toBe('')
  })

  test('show their checksum and the disk usage', async () => {
    server.put({ 'sum.txt': 'abc' })
    const { checksums } = await jsonIn<{ checksums: Record<string, string> }>(
      ann.ask('/api/resources/sum.txt?checksum=md5'),
    )
    expect(checksums).toEqual({ md5: '900150983cd24fb0d6963f7d28e17f72' })
    expect(await jsonIn<object>(ann.ask('/api/usage/'))).toEqual({
      total: expect.any(Number),
      used: expect.any(Number),
    })
  })

  test('are found in a stream of lines with blank lines in between', async () => {
    server.put({ 'hay/stack/Needle.txt': '', 'hay/needle/': '' })
    const text = await (await ann.ask(`/api/search/hay/?query=${encodeURIComponent('needle')}`)).text()
    const hits = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
    expect(hits).toEqual(
      expect.arrayContaining([
        { dir: true, path: 'needle' },
        { dir: false, path: 'stack/Needle.txt' },
      ]),
    )
    expect(hits).toHaveLength(2)
  })
})
