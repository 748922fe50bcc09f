import { afterAll, expect, spyOn, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { ShareLink } from '@filestead/contract'
import { uncompressStream } from 'snappy'
import { bytesIn, jsonIn, statusOf } from './answers.ts'
import { treeOf } from './disk.ts'
import { headOf, openLine } from './line.ts'
import { type Ask, startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
await server.addUser('viewer', { lacks: ['download', 'share'] })
const alice = await server.as('alice')
afterAll(() => server.stop())

const at = (path: string) => join(server.root, path)
const scratch = join(server.root, '../unpacked')
let count = 0

/** Unpacked by the tools of the system, which are the readers that matter. */
function unpack(bytes: Uint8Array, algo: string): Record<string, string> {
  count += 1
  const folder = join(scratch, String(count))
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}.${algo}`, bytes)
  if (algo === 'zip') execFileSync('unzip', ['-q', `${folder}.zip`, '-d', folder])
  else execFileSync('tar', [...(tarOptions[algo] ?? []), '-xf', `${folder}.${algo}`, '-C', folder])
  return treeOf(folder)
}

const tarOptions: Record<string, string[]> = {
  targz: ['-z'],
  tarbz2: ['-j'],
  tarxz: ['-J'],
  tarlz4: ['-I', 'lz4'],
  tarzst: ['--zstd'],
}

const contentOf = async (path: string, ask: Ask = alice) => unpack(await bytesIn(ask(path)), 'tar')
const nameIn = (response: Response) => response.headers.get('content-disposition')?.split("''")[1]
const selected = (...names: string[]) => `files=${encodeURIComponent(names.map(encodeURIComponent).join(','))}`

const long = `${'a long name '.repeat(20)}/${'ünïcode '.repeat(12)}.txt`
/** Long enough that some codec gets a block of nothing but noise, which becomes larger by being packed. */
const large = Buffer.concat([randomBytes(2_500_000), Buffer.alloc(1_500_000, 'text ')])
server.put({ 'box/a.txt': 'A', 'box/sub/b é.txt': 'B', 'box/empty/': '', 'box/none': '', [`box/${long}`]: 'L' })
server.put({ 'box/large.bin': large })
chmodSync(at('box/a.txt'), 0o751)
utimesSync(at('box/a.txt'), 1_600_000_000, 1_600_000_000)
const box = treeOf(at('box'))

test.if(Bun.which('unzip') !== null)('unzip reads a zip with the content, modes and times of the folder', async () => {
  const bytes = await bytesIn(alice('/api/raw/box'))
  expect(unpack(bytes, 'zip')).toEqual(box)
  const { mode, mtimeMs } = statSync(join(scratch, String(count), 'a.txt'))
  expect([(mode & 0o777).toString(8), mtimeMs]).toEqual(['751', 1_600_000_000_000])
  expect(execFileSync('unzip', ['-t', join(scratch, `${count}.zip`)]).toString()).toContain('No errors')
})

test.if(Bun.which('python3') !== null)('the zip module of Python reads the zip', async () => {
  writeFileSync(join(server.root, '../other.zip'), await bytesIn(alice('/api/raw/box?algo=true')))
  const listed = execFileSync('python3', ['-m', 'zipfile', '-t', join(server.root, '../other.zip')]).toString()
  expect(listed).toContain('Done testing')
})

const tools = { tar: 'tar', targz: 'gzip', tarbz2: 'bzip2', tarxz: 'xz', tarlz4: 'lz4', tarzst: 'zstd' }
for (const [algo, tool] of Object.entries(tools))
  test.if(Bun.which(tool) !== null)(`a ${algo} archive has the content of the folder`, async () => {
    expect(unpack(await bytesIn(alice(`/api/raw/box?algo=${algo}`)), algo)).toEqual(box)
    const { mode, mtimeMs } = statSync(join(scratch, String(count), 'a.txt'))
    expect([(mode & 0o777).toString(8), mtimeMs]).toEqual(['751', 1_600_000_000_000])
  })

test('archives with brotli and snappy have the content of the folder', async () => {
  expect(unpack(brotliDecompressSync(await bytesIn(alice('/api/raw/box?algo=tarbr'))), 'tar')).toEqual(box)
  const snappy = new Blob([await bytesIn(alice('/api/raw/box?algo=tarsz'))]).stream()
  const plain = await new Response(uncompressStream(snappy)).bytes()
  expect(unpack(plain, 'tar')).toEqual(box)
})

test('an archive is named after its folder or selection, with the extension of its format', async () => {
  await server.addUser('homely', { scope: '/box/sub' })
  const homely = await server.as('homely')
  for (const [ask, path, name] of [
    [alice, 'box', 'box.zip'],
    [alice, 'box/?algo=tarbz2', 'box.tar.bz2'],
    [alice, 'box?inline=true&algo=tarsz', 'box.tar.sz'],
    [alice, `box?${selected('a.txt', 'sub')}`, '_box.zip'],
    [alice, `box?${selected('a.txt')}`, 'a.txt.zip'],
    [alice, `box?${selected('sub')}&algo=tar`, 'sub.tar'],
    [alice, `?${selected('box/a.txt', 'box/sub/b é.txt')}`, '_box.zip'],
    [alice, '', 'files.zip'],
    [homely, '', 'sub.zip'],
  ] as const) {
    const response = await ask(`/api/raw/${path}`, { method: 'HEAD' })
    expect([path, response.status, nameIn(response)]).toEqual([path, 200, name])
  }
})

test('an archive is sent as a sandboxed attachment', async () => {
  for (const [algo, type] of [
    ['zip', 'application/zip'],
    ['tar', 'application/x-tar'],
  ])
    expect(Object.fromEntries((await alice(`/api/raw/box?algo=${algo}`, { method: 'HEAD' })).headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'; script-src 'none';/),
      'content-type': type,
      'x-content-type-options': 'nosniff',
    })
})

test('HEAD has the length of a zip, and none for a format whose length is not known', async () => {
  const head = async (algo: string) => {
    const line = await openLine(server.url)
    const token = await server.signIn('alice')
    await line.send(headOf('HEAD', `/api/raw/box?algo=${algo}`, { 'x-auth': token, connection: 'close' }))
    return (await line.received).toString()
  }
  const bytes = await (await alice('/api/raw/box')).bytes()
  expect(await head('zip')).toContain(`ontent-length: ${bytes.length}\r\n`)
  for (const algo of ['tar', 'targz']) {
    const answer = await head(algo)
    expect(answer).toStartWith('HTTP/1.1 200 OK\r\n')
    expect(answer).toEndWith('\r\n\r\n')
    expect(answer.toLowerCase()).not.toContain('content-length')
  }
})

test('an archive of a selection has the selected entries and leaves out missing ones', async () => {
  server.put({ 'choice/x/a.txt': 'A', 'choice/y/b.txt': 'B', 'choice/1,2+3 %41.txt': 'C', 'choice/z.txt': 'Z' })
  const of = (...names: string[]) => contentOf(`/api/raw/choice?algo=tar&${selected(...names)}`)
  expect(await of('x/a.txt', 'y/b.txt')).toEqual({ 'x/': '', 'x/a.txt': 'A', 'y/': '', 'y/b.txt': 'B' })
  expect(await of('x', 'z.txt')).toEqual({ 'x/': '', 'x/a.txt': 'A', 'z.txt': 'Z' })
  expect(await of('x')).toEqual({ 'a.txt': 'A' })
  expect(await of('1,2+3 %41.txt')).toEqual({ '1,2+3 %41.txt': 'C' })
  expect(await of('z.txt', 'none.txt')).toEqual({ 'z.txt': 'Z' })
  expect(await of('x', 'x/a.txt', 'x')).toEqual({ 'a.txt': 'A' })
  expect(await of('none.txt')).toEqual({})
  expect(Object.keys(await of()).length).toBe(6)
})

test('a selection too long for an address is accepted as a form', async () => {
  const name = (index: number) => `${'long, & odd '.repeat(10)}${index}.txt`
  const names = Array.from({ length: 300 }, (_, index) => name(index))
  server.put(Object.fromEntries([...names, 'left out.txt'].map((each) => [`lot/${each}`, each])))
  const form = (fields: [string, string][]) => ({ method: 'POST', body: new URLSearchParams(fields) })
  const fields: [string, string][] = [['algo', 'tar'], ...names.map((each): [string, string] => ['files', each])]
  const send = (body: [string, string][], ask: Ask = alice) => ask('/api/raw/lot', form(body))

  expect(Object.keys(unpack(await (await send(fields)).bytes(), 'tar')).sort()).toEqual(names.sort())
  // A page sends no header. The cookie is not enough: it would come along from a foreign page, too.
  const token = await server.signIn('alice')
  const byField = await send([['auth', token], ...fields], server.ask)
  expect(nameIn(byField)).toBe('_lot.tar')
  expect((await byField.bytes()).length).toBeGreaterThan(300 * 512)
  const cookie = { cookie: `auth=${token}` }
  expect(await statusOf(server.ask('/api/raw/lot', { ...form(fields), headers: cookie }))).toBe(401)
  expect(await statusOf(send([['auth', 'a.b.c'], ...fields], server.ask))).toBe(401)
  // Only this route reads a field for a header.
  expect(await statusOf(server.ask('/api/resources/lot/new.txt', form([['auth', token]])))).toBe(401)

  expect(await statusOf(send([['files', '../box']]))).toBe(400)
  // A file knows no POST, as in File Browser, whatever is sent.
  for (const body of [new URLSearchParams(fields), '{}'])
    expect(await statusOf(alice(`/api/raw/lot/${encodeURIComponent(name(0))}`, { method: 'POST', body }))).toBe(405)
  expect(await statusOf(send([['files', 'a'.repeat(9 << 20)]]))).toBe(413)
  expect(await statusOf(send(fields, await server.as('viewer')))).toBe(202)
})

test('a form is read only up to its token until the sender is authenticated', async () => {
  const send = async (body: string, headers: Record<string, string> = {}) => {
    const line = await openLine(server.url)
    await line.send(headOf('POST', '/api/raw/box', { 'content-length': 6 << 20, ...headers }))
    await line.send(body)
    const status = await line.status
    line.reset()
    return status
  }
  const token = await server.signIn('alice')
  // The rest of the six megabytes never comes, so a server that waits for it does not answer.
  expect(await send(`algo=tar&${'files=a&'.repeat(1100)}`)).toBe(401)
  expect(await send(`auth=a.b.c&${'files=a&'.repeat(1100)}`)).toBe(401)
  expect(await send(`${'files=a&'.repeat(1100)}auth=${token}&`)).toBe(401)
  expect(await send(`files=a&auth=${token}${'x'.repeat(9000)}`)).toBe(401)
  expect(await send('auth=', { 'content-length': String(9 << 20) })).toBe(413)
  const whole = { method: 'POST', body: `algo=tar&auth=${token}` }
  expect(await statusOf(server.ask('/api/raw/box', whole))).toBe(200)
})

test('a form with more than 100,000 fields is refused before it is parsed', async () => {
  const form = (body: string) => ({ method: 'POST', body })
  const hash = (await jsonIn<ShareLink>(alice('/api/share/box', { method: 'POST', body: '{}' }))).hash
  const parse = spyOn(globalThis, 'URLSearchParams')
  for (const body of ['a&'.repeat(4 << 20), '&'.repeat(8 << 20), 'files=a&'.repeat(100_001)]) {
    expect(await statusOf(alice('/api/raw/box', form(body)))).toBe(413)
    expect(await statusOf(server.ask(`/api/public/dl/${hash}`, form(body)))).toBe(413)
  }
  expect(parse).toHaveBeenCalledTimes(0)
  parse.mockRestore()
  expect(await statusOf(alice('/api/raw/box', form('files=none&'.repeat(90_000))))).toBe(200)
})

test('a malformed archive request is refused', async () => {
  for (const query of [
    'algo=rar',
    'algo=tar.gz',
    'algo=constructor',
    'files=..%2Fsecret',
    'files=%252e%252e',
    'files=%25ff',
  ])
    expect([query, await statusOf(alice(`/api/raw/box?${query}`))]).toEqual([query, 400])
  expect(await statusOf(alice('/api/raw/none?algo=zip'))).toBe(404)
  expect(await statusOf((await server.as('viewer'))('/api/raw/box'))).toBe(202)
})

test('an empty folder makes a valid archive in every format', async () => {
  server.put({ 'hollow/': '' })
  const tree = async (algo: string) => unpack(await bytesIn(alice(`/api/raw/hollow?algo=${algo}`)), algo)
  for (const [algo, tool] of Object.entries(tools))
    if (Bun.which(tool) !== null) expect([algo, await tree(algo)]).toEqual([algo, {}])
  const zip = await bytesIn(alice('/api/raw/hollow'))
  expect([zip.length, Buffer.from(zip).toString('latin1', 0, 4)]).toEqual([22, 'PK\x05\x06'])
})

test('an archive follows symlinks inside the scope and stops at cycles', async () => {
  server.put({ 'links/real.txt': 'R', 'links/deep/c.txt': 'C', '../outside.txt': 'SECRET', 'elsewhere/e.txt': 'E' })
  server.link('real.txt', 'links/to-file')
  server.link('../elsewhere', 'links/to-folder')
  server.link('.', 'links/self1')
  server.link('.', 'links/self2')
  server.link('..', 'links/deep/up')
  server.link('../..', 'links/deep/out')
  server.link('../../outside.txt', 'links/escape')
  server.link('nowhere', 'links/dead')
  execFileSync('mkfifo', [at('links/pipe')])
  const expected = {
    'real.txt': 'R',
    'to-file': 'R',
    'deep/': '',
    'deep/c.txt': 'C',
    'to-folder/': '',
    'to-folder/e.txt': 'E',
  }
  const tree = await contentOf('/api/raw/links?algo=tar')
  expect(tree).toMatchObject(expected)
  expect(JSON.stringify(tree)).not.toContain('SECRET')
  expect(Object.keys(tree).filter((name) => /self|up\/|pipe|dead|escape/.test(name.slice(0, 8)))).toEqual([])
  expect(Object.keys(unpack(await bytesIn(alice('/api/raw/links')), 'zip'))).toEqual(Object.keys(tree))
  expect(await contentOf(`/api/raw/links?algo=tar&${selected('to-file')}`)).toEqual({ 'to-file': 'R' })
})

test('folders full of symlinks to each other do not multiply in an archive', async () => {
  for (let folder = 0; folder < 12; folder += 1) {
    server.put({ [`web/f${folder}/a.txt`]: 'A' })
    for (let other = 0; other < 12; other += 1) server.link(`../f${other}`, `web/f${folder}/to${other}`)
  }
  const tree = await contentOf('/api/raw/web?algo=tar')
  expect(Object.keys(tree).length).toBeLessThan(60)
})

test('an archive leaves out denied and hidden files, behind symlinks and in a selection too', async () => {
  server.put({
    'ruled/pub/a.txt': 'A',
    'ruled/pub/.env': 'DOT',
    'ruled/pub/.d/x.txt': 'DOT',
    'ruled/private/p.txt': 'DENIED',
  })
  server.link('../private', 'ruled/pub/lnk')
  server.link('../private/p.txt', 'ruled/pub/file')
  const rules = [{ regex: false, allow: false, path: '/private', regexp: null }]
  await server.addUser('ruled', { scope: '/ruled', rules, hideDotfiles: true })
  const ruled = await server.as('ruled')
  for (const query of ['', 'files=pub,private', 'files=pub/a.txt,private/p.txt,pub/.env'])
    for (const [algo, read] of [
      ['tar', unpack],
      ['zip', unpack],
    ] as const) {
      const tree = read(await bytesIn(ruled(`/api/raw/?algo=${algo}&${query}`)), algo)
      expect(JSON.stringify(tree)).not.toMatch(/DOT|DENIED|env|p\.txt/)
      expect(Object.values(tree)).toContain('A')
    }
})

test('names that are not UTF-8 and times out of range do not break an archive', async () => {
  server.put({ 'odd/old.txt': 'O', 'odd/new.txt': 'N' })
  utimesSync(at('odd/old.txt'), -1_000_000_000, -1_000_000_000)
  utimesSync(at('odd/new.txt'), 4_000_000_000, 4_000_000_000)
  writeFileSync(Buffer.concat([Buffer.from(at('odd/')), Buffer.from([0x66, 0xff])]), 'F')
  for (const algo of ['zip', 'tar']) {
    const tree = unpack(await bytesIn(alice(`/api/raw/odd?algo=${algo}`)), algo)
    expect(tree).toMatchObject({ 'old.txt': 'O', 'new.txt': 'N' })
  }
})

test('a backslash in a name is a letter of the name in an archive', async () => {
  server.put({ 'slip/..\\..\\evil.txt': 'E' })
  expect(await contentOf('/api/raw/slip?algo=tar')).toEqual({ '.._.._evil.txt': 'E' })
  expect(unpack(await bytesIn(alice('/api/raw/slip')), 'zip')).toEqual({ '.._.._evil.txt': 'E' })
})
