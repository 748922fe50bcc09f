import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ArchiveListing } from '@filestead/contract'
import { type TarFacts, tarOf, type ZipFacts, zipOf } from '../src/archives/reading/archives.fixture.ts'
import { type Ask, startServer, type TestServer } from './server.ts'

let server: TestServer
let ann: Ask

beforeAll(async () => {
  server = await startServer()
  await server.addUser('ann')
  ann = await server.as('ann')
})
afterAll(() => server.stop())

const some: (ZipFacts & TarFacts)[] = [
  { name: 'a10.txt', content: 'ten' },
  { name: 'a2.txt', content: 'two' },
  { name: 'docs/page.html', content: '<script>alert(1)</script>' },
  { name: 'docs/more/b.txt', content: 'deep' },
  { name: 'docs/picture.svg', content: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>' },
]

async function list(path: string, query = ''): Promise<ArchiveListing> {
  const answer = await ann(`/api/archive${path}${query}`)
  expect(answer.status).toBe(200)
  return ArchiveListing.parse(await answer.json())
}

const names = ({ entries }: ArchiveListing) => entries.map(({ name, isDir }) => (isDir ? `${name}/` : name))
const statusOf = async (path: string) => (await ann(path)).status

test.each([
  ['zip', zipOf(some)],
  ['tar', tarOf(some)],
  ['tar.gz', gzipSync(tarOf(some))],
])('a %s opens as a folder', async (format, bytes) => {
  server.put({ 'some.bin': bytes })
  const top = await list('/some.bin')
  expect([top.format, names(top), top.files, top.skipped]).toEqual([
    format as never,
    ['docs/', 'a2.txt', 'a10.txt'],
    5,
    0,
  ])
  expect(names(await list('/some.bin', '?inside=/docs'))).toEqual(['more/', 'page.html', 'picture.svg'])
  expect(names(await list('/some.bin', '?inside=/docs/more/'))).toEqual(['b.txt'])
  const file = await ann('/api/archive-file/some.bin?inside=/docs/more/b.txt')
  expect([file.status, await file.text()]).toEqual([200, 'deep'])
  expect(await statusOf('/api/archive/some.bin?inside=/nowhere')).toBe(404)
  expect(await statusOf('/api/archive-file/some.bin?inside=/docs')).toBe(404)
  expect(await statusOf('/api/archive-file/some.bin?inside=/../kept.txt')).toBe(404)
})

test('a file out of an archive never runs as a page', async () => {
  server.put({ 'pages.zip': zipOf(some) })
  for (const [query, disposition] of [
    ['', 'attachment'],
    ['&inline=true', 'inline'],
  ] as const) {
    for (const inside of ['/docs/page.html', '/docs/picture.svg']) {
      const answer = await ann(`/api/archive-file/pages.zip?inside=${inside}${query}`)
      expect(answer.headers.get('content-security-policy')).toContain("sandbox; default-src 'none'; script-src 'none'")
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('content-disposition')).toStartWith(disposition)
    }
  }
  const saved = await ann('/api/archive-file/pages.zip?inside=/docs/page.html')
  expect(saved.headers.get('content-type')).toBe('application/octet-stream')
})

test('an archive is looked into by those who may download it', async () => {
  await server.addUser('bob', { lacks: ['download', 'share'] })
  await server.addUser('cat', { scope: '/elsewhere' })
  server.put({ 'mine.zip': zipOf(some), 'elsewhere/': '' })
  for (const address of ['/api/archive/mine.zip', '/api/archive-file/mine.zip?inside=/a2.txt']) {
    const bob = await server.as('bob')
    expect([403, 202]).toContain((await bob(address)).status)
    expect((await (await server.as('cat'))(address)).status).toBe(404)
    expect((await server.ask(address)).status).toBe(401)
  }
})

test.each([
  ['text', Buffer.from('no archive'), 415],
  ['an encrypted file', zipOf([{ name: 'x', content: 'x', flags: 0x801 }]), 415],
  ['a broken file', zipOf([{ name: 'x', content: 'x', crc: 1 }]), 400],
  ['a trap', zipOf([{ name: 'x', content: Buffer.alloc(30 << 20) }]), 413],
])('%s is refused with its reason', async (_, bytes, status) => {
  server.put({ 'odd.zip': bytes })
  const answer = await ann('/api/archive-file/odd.zip?inside=/x')
  // What turns out to be too much after the first bytes breaks the connection.
  if (status === 413)
    expect(
      await answer
        .bytes()
        .then((all) => all.length < 30 << 20)
        .catch(() => true),
    ).toBe(true)
  else expect(answer.status).toBe(status)
})

test('a folder and a missing file are no archives', async () => {
  server.put({ 'folder/': '' })
  expect(await statusOf('/api/archive/folder')).toBe(400)
  expect(await statusOf('/api/archive/missing.zip')).toBe(404)
})

test('names of old archives are guessed, and can be read otherwise', async () => {
  const japanese = Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x2e, 0x74, 0x78, 0x74])
  server.put({ 'old.zip': zipOf([{ name: japanese, content: 'x', flags: 0 }]) })
  const guessed = await list('/old.zip')
  expect([guessed.encoding, names(guessed)]).toEqual(['shift_jis', ['テスト.txt']])
  const chosen = await list('/old.zip', '?encoding=cp437')
  expect([chosen.encoding, names(chosen)]).toEqual(['cp437', ['âeâXâg.txt']])
  expect(await statusOf('/api/archive/old.zip?encoding=martian')).toBe(400)
})

const folder = mkdtempSync(join(tmpdir(), 'filestead-tools-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const tools: [tool: string, archive: string, command: string[]][] = [
  ['zip', 'by-zip.zip', ['zip', '-qry', 'by-zip.zip', 'tree']],
  ['zip from a pipe', 'piped.zip', ['sh', '-c', 'zip -qr - tree -x tree/link | cat > piped.zip']],
  ['7z', 'by-7z.zip', ['7z', 'a', '-bso0', '-snl', 'by-7z.zip', 'tree']],
  ['7z', 'by-7z.tar', ['7z', 'a', '-bso0', '-snl', 'by-7z.tar', 'tree']],
  ['bsdtar', 'by-bsdtar.zip', ['bsdtar', '-a', '-cf', 'by-bsdtar.zip', 'tree']],
  ['bsdtar', 'by-bsdtar.tar', ['bsdtar', '-cf', 'by-bsdtar.tar', 'tree']],
  ['tar', 'gnu.tar', ['tar', '--format=gnu', '-cf', 'gnu.tar', 'tree']],
  ['tar', 'pax.tar', ['tar', '--format=pax', '-cf', 'pax.tar', 'tree']],
  ['tar', 'gnu.tar.gz', ['tar', '-czf', 'gnu.tar.gz', 'tree']],
  ['tar', 'gnu.tar.bz2', ['tar', '-cjf', 'gnu.tar.bz2', 'tree']],
  ['tar', 'gnu.tar.xz', ['tar', '-cJf', 'gnu.tar.xz', 'tree']],
  ['tar', 'gnu.tar.zst', ['tar', '--zstd', '-cf', 'gnu.tar.zst', 'tree']],
  ['python3', 'by-python.zip', ['python3', '-m', 'zipfile', '-c', 'by-python.zip', 'tree']],
  ['python3', 'by-python.tar.gz', ['python3', '-m', 'tarfile', '-c', 'by-python.tar.gz', 'tree']],
]

test.each(tools)('what %s packs into %s is read', async (tool, archive, command) => {
  if (Bun.which(tool.split(' ')[0] ?? '') === null) return console.warn(`${tool} is not installed`)
  const long = `${'long-name-'.repeat(12)}.txt`
  mkdirSync(join(folder, 'tree/sub'), { recursive: true })
  writeFileSync(join(folder, 'tree/one.txt'), 'one')
  writeFileSync(join(folder, 'tree/sub/größe 😀.txt'), 'two')
  writeFileSync(join(folder, `tree/sub/${long}`), 'three')
  writeFileSync(join(folder, 'tree/large.bin'), Buffer.alloc(3_000_000, 'packed well, but not too well; '))
  utimesSync(join(folder, 'tree/one.txt'), 1_600_000_000, 1_600_000_000)
  rmSync(join(folder, 'tree/link'), { force: true })
  symlinkSync('/etc/passwd', join(folder, 'tree/link'))
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd: folder, env: { ...process.env, TZ: 'UTC' } })
  expect([exitCode, stderr.toString()]).toEqual([0, expect.any(String)])
  server.put({ [archive]: readFileSync(join(folder, archive)) })
  const top = await list(`/${archive}`, '?inside=/tree')
  // Python follows symlinks when it packs a zip, and zip writes none into a pipe.
  if (!/python3|pipe/.test(tool)) expect([names(top), top.skipped]).toEqual([['sub/', 'large.bin', 'one.txt'], 1])
  expect(names(await list(`/${archive}`, '?inside=/tree/sub'))).toEqual(['größe 😀.txt', long])
  const answer = await ann(`/api/archive-file/${archive}?inside=${encodeURIComponent('/tree/sub/größe 😀.txt')}`)
  expect(await answer.text()).toBe('two')
  const large = await ann(`/api/archive-file/${archive}?inside=/tree/large.bin`)
  expect((await large.bytes()).length).toBe(3_000_000)
})

test('a million entries are listed folder by folder, and others are answered meanwhile', async () => {
  const count = 1_000_000
  const central = Buffer.alloc(46)
  const parts: Buffer[] = []
  const local = zipOf([{ name: 'f', content: '', method: 0 }]).subarray(0, 31)
  for (let at = 0; at < count; at += 1) {
    const name = `d${at % 100}/f${at}`
    central.write('PK\x01\x02', 'latin1')
    central.writeUInt16LE(0x0314, 4)
    central.writeUInt16LE(0x800, 8)
    central.writeUInt16LE(name.length, 28)
    central.writeUInt32LE(0o100644 * 65_536, 38)
    central.writeUInt32LE(at * 60, 42)
    parts.push(Buffer.from(central), Buffer.from(name))
  }
  const table = Buffer.concat(parts)
  const end = Buffer.alloc(98)
  const start = count * 60
  end.write('PK\x06\x06', 'latin1')
  end.writeBigUInt64LE(44n, 4)
  end.writeBigUInt64LE(BigInt(count), 24)
  end.writeBigUInt64LE(BigInt(count), 32)
  end.writeBigUInt64LE(BigInt(table.length), 40)
  end.writeBigUInt64LE(BigInt(start), 48)
  end.write('PK\x06\x07', 56, 'latin1')
  end.writeBigUInt64LE(BigInt(start + table.length), 64)
  end.writeUInt32LE(1, 72)
  end.write('PK\x05\x06', 76, 'latin1')
  end.fill(0xff, 84, 96)
  server.put({ 'million.zip': Buffer.concat([local, Buffer.alloc(start - local.length), table, end]) })
  const listing = list('/million.zip')
  let answered = 0
  let isOver = false
  const others = (async () => {
    while (!isOver) {
      await ann('/api/usage/')
      answered += 1
    }
  })()
  const top = await listing
  isOver = true
  await others
  expect([top.entries.length, top.files]).toEqual([100, count])
  expect(answered).toBeGreaterThan(20)
  expect((await list('/million.zip', '?inside=/d7')).entries.length).toBe(10_000)
}, 120_000)
