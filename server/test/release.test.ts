import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { uncompress } from 'lz4-napi'
import sharp from 'sharp'
import { uncompressStream } from 'snappy'
import { builtRelease } from './built-release.ts'
import { freePort } from './free-port.ts'
import { admin, askAs, askAt, launch, type Running, run, signIn, until, untilHealthy } from './process.ts'
import type { Ask } from './server.ts'
import { tusOf } from './tus.ts'

setDefaultTimeout(120_000)

// The release archive, unpacked and started without Node, Bun or the repository.
let built: string
let folder: string
let release: string
let running: Running
let url: string
let token: string
let ask: Ask
const at = (path: string) => join(folder, 'root', path)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'filestead-release-'))
  built = await builtRelease()
  const archive = readdirSync(built).find((name) => /^filestead-.*\.tar\.gz$/.test(name)) ?? ''
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: built, stdio: 'pipe' })
  execFileSync('tar', ['-xzf', join(built, archive), '-C', folder])
  release = join(folder, archive.replace('.tar.gz', ''))

  mkdirSync(at('box/sub'), { recursive: true })
  writeFileSync(at('box/a.txt'), 'A')
  writeFileSync(at('box/sub/b.bin'), Buffer.alloc(300_000, 'something to pack '))
  await sharp({ create: { width: 800, height: 600, channels: 3, background: '#1f6f5b' } }).toFile(at('picture.jpg'))
  const database = join(folder, 'data/filestead.db')
  // By a link, as people put programs into their path.
  symlinkSync(join(release, 'filestead'), join(folder, 'called-by-link'))
  mkdirSync(join(folder, 'home'))
  const bare = ['-i', 'PATH=/nonexistent', `HOME=${join(folder, 'home')}`, join(folder, 'called-by-link')]
  const options = { command: 'env', cwd: trap() }
  await run([...bare, 'config', 'init', '-d', database], options)
  await run([...bare, 'users', 'add', admin.username, admin.password, '--perm.admin', '-d', database], options)
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  running = launch([...bare, '-d', database, '-r', join(folder, 'root'), '-p', String(port)], options)
  await untilHealthy(url, running)
  token = await signIn(url, admin)
  ask = askAs(url, token)
}, 300_000)

afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** A working folder with files that a program would run if it read them. */
function trap(): string {
  const path = join(folder, 'trap')
  mkdirSync(path)
  const take = `require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'taken-over'))}, '')\n`
  writeFileSync(join(path, 'bunfig.toml'), 'preload = ["./preload.ts"]\n')
  writeFileSync(join(path, 'preload.ts'), take)
  writeFileSync(join(path, '.env'), `FILESTEAD_PORT=1\nFILESTEAD_ROOT=${folder}\n`)
  writeFileSync(join(path, 'package.json'), '{"imports":{"sharp":"./preload.ts"}}')
  for (const name of ['sharp', 'snappy', 'lz4-napi', 'lzma-native', 'bzip2-wasm']) {
    mkdirSync(join(path, 'node_modules', name), { recursive: true })
    writeFileSync(join(path, 'node_modules', name, 'index.js'), take)
  }
  return path
}

test('the release serves a listing', async () => {
  const listing = (await (await ask('/api/resources/')).json()) as { items: { name: string }[] }
  expect(listing.items.map(({ name }) => name).sort()).toEqual(['box', 'picture.jpg'])
})

test('the release checkpoints its database in a thread', async () => {
  const fds = `/proc/${running.pid}/fd`
  const isLog = (fd: string) => readlinkIfThere(join(fds, fd)).endsWith('filestead.db-wal')
  const connections = () => readdirSync(fds).filter(isLog).length
  // Those that read and write in the event loop, and that of the thread.
  await until(() => connections() === 3)
  expect(connections()).toBe(3)
})

/** A descriptor may be closed by now. */
function readlinkIfThere(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

test('the release serves the client from the executable', async () => {
  const page = await (await askAt(url, '/files/box')).text()
  const script = /src="(\/static\/assets\/first-[^"]+\.js)"/.exec(page)?.[1] ?? ''
  const plain = await askAt(url, script, { headers: { 'accept-encoding': 'identity' } })
  expect([plain.status, plain.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  expect((await plain.text()).length).toBeGreaterThan(10_000)
  const packed = await askAt(url, script, { headers: { 'accept-encoding': 'br' } })
  expect(packed.headers.get('content-encoding')).toBe('br')
  await packed.text()
})

test('the release makes a thumbnail', async () => {
  const answer = await ask('/api/preview/thumb/picture.jpg')
  expect(answer.status).toBe(200)
  const { width, height } = await sharp(await answer.bytes()).metadata()
  expect([width, height]).toEqual([256, 256])
})

describe('the release makes archives', () => {
  const bzip2 = (bytes: Uint8Array) => execFileSync('bzip2', ['-dc'], { input: bytes, maxBuffer: 1 << 24 })
  const xz = (bytes: Uint8Array) => execFileSync('xz', ['-dc'], { input: bytes, maxBuffer: 1 << 24 })
  const snappy = async (bytes: Uint8Array) => {
    const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream()
    return new Response(uncompressStream(stream)).bytes()
  }
  const formats: [string, (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>, string?][] = [
    ['tar', (bytes) => bytes],
    ['targz', gunzipSync],
    ['tarbr', brotliDecompressSync],
    ['tarzst', zstdDecompressSync],
    ['tarsz', snappy],
    ['tarlz4', unframed],
    ['tarbz2', bzip2, 'bzip2'],
    ['tarxz', xz, 'xz'],
  ]
  for (const [algo, unpack, tool] of formats)
    test.if(tool === undefined || Bun.which(tool) !== null)(algo, async () => {
      const answer = await ask(`/api/raw/box?algo=${algo}`)
      expect(answer.status).toBe(200)
      const tar = await unpack(await answer.bytes())
      const names = execFileSync('tar', ['-tf', '-'], { input: tar }).toString().split('\n').filter(Boolean).sort()
      expect(names).toEqual(['a.txt', 'sub/', 'sub/b.bin'])
      expect(Buffer.from(tar).includes(readFileSync(at('box/sub/b.bin')))).toBe(true)
    })
  test('zip', async () => {
    const bytes = Buffer.from(await (await ask('/api/raw/box')).bytes())
    expect(bytes.readUInt32BE(0)).toBe(0x504b0304)
    expect(['a.txt', 'sub/b.bin'].every((name) => bytes.includes(name))).toBe(true)
    expect(bytes.includes(readFileSync(at('box/sub/b.bin')))).toBe(true)
  })
})

test('nothing is left in the home folder after thumbnails and archives', () => {
  expect(readdirSync(join(folder, 'home'))).toEqual([])
})

test('the release receives an upload in pieces', async () => {
  const content = Buffer.alloc(3_000_000, 'sent in pieces ')
  const tus = tusOf(ask)
  expect((await tus.create('/sent.bin', content.length)).status).toBe(201)
  for (let offset = 0; offset < content.length; offset += 1_000_000)
    expect((await tus.append('/sent.bin', offset, content.subarray(offset, offset + 1_000_000))).status).toBe(204)
  expect(readFileSync(at('sent.bin')).equals(content)).toBe(true)
})

test('the release shares a file without a session', async () => {
  const body = JSON.stringify({ password: 'open sesame', expires: '1', unit: 'hours' })
  const { hash } = (await (await ask('/api/share/box/a.txt', { method: 'POST', body })).json()) as { hash: string }
  expect((await askAt(url, `/api/public/share/${hash}`)).status).toBe(401)
  const headers = { 'x-share-password': encodeURIComponent('open sesame') }
  const opened = (await (await askAt(url, `/api/public/share/${hash}`, { headers })).json()) as { token: string }
  expect(await (await askAt(url, `/api/public/dl/${hash}?token=${opened.token}`)).text()).toBe('A')
})

test('the release lists its parts with their licences', () => {
  const sbom = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8'))
  expect([sbom.bomFormat, sbom.specVersion]).toEqual(['CycloneDX', '1.6'])
  const names: string[] = sbom.components.map(({ name }: { name: string }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['sharp', '@img/sharp-libvips-linux-x64', 'kysely', 'react', '@oven/bun-linux-x64']),
  )
  expect(names.filter((name) => /vite|typescript|biome|playwright|darwin|win32/.test(name))).toEqual([])
  const licences = readFileSync(join(release, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  for (const { name, version } of sbom.components) expect(licences).toContain(`${name} ${version} (`)
  for (const file of readdirSync(join(release, 'lib/node_modules')).filter((name) => !name.startsWith('@')))
    expect(names).toContain(file)
})

test('the release has a readme of its own, and its pages link only to each other', () => {
  const pages = ['README.md', ...readdirSync(join(release, 'docs/operating')).map((name) => `docs/operating/${name}`)]
  expect(pages).toContain('docs/operating/install.md')
  expect(readFileSync(join(release, 'README.md'), 'utf8')).not.toContain('npm')
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(release, page), 'utf8')
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target)
    return targets
      .filter((target) => !existsSync(join(release, dirname(page), target)))
      .map((target) => `${page}: ${target}`)
  })
  expect(broken).toEqual([])
})

test('files in the release have the date of the sources', () => {
  expect(statSync(join(release, 'README.md')).mtime.getFullYear()).toBeGreaterThan(2025)
})

describe('the archive with the name of File Browser', () => {
  const archive = () => join(built, 'linux-amd64-filebrowser.tar.gz')

  test('installs a whole program where scripts unpack it', async () => {
    const bin = join(folder, 'usr-local-bin')
    mkdirSync(bin)
    execFileSync('tar', ['-xzf', archive(), '-C', bin])
    expect(readdirSync(bin)).toEqual(expect.arrayContaining(['filebrowser', 'README.md', 'LICENSE', 'CHANGELOG.md']))
    const { stdout } = await run(['version'], { command: join(bin, 'filebrowser') })
    expect(stdout).toStartWith('Filestead ')
  })

  test('has a program that serves files also where scripts take it alone', async () => {
    const bin = join(folder, 'alone')
    mkdirSync(join(bin, 'root'), { recursive: true })
    execFileSync('tar', ['-xzf', archive(), '-C', bin, 'filebrowser'])
    const port = await freePort()
    const words = ['-d', join(bin, 'f.db'), '-r', join(bin, 'root'), '-p', String(port)]
    await using alone = launch(words, { command: join(bin, 'filebrowser') })
    const there = `http://127.0.0.1:${port}`
    await untilHealthy(there, alone)
    const password = /randomly generated password: (\S+)/.exec(alone.stdout())?.[1] ?? ''
    const askThere = askAs(there, await signIn(there, { ...admin, password }))
    expect((await askThere('/api/resources/a.txt', { method: 'POST', body: 'A' })).status).toBe(200)
    expect(await (await askThere('/api/raw/a.txt')).text()).toBe('A')
    expect((await askThere('/api/raw/?algo=zip')).status).toBe(200)
    expect((await askThere('/api/raw/?algo=tarxz')).status).toBe(501)
    alone.signal('SIGTERM')
    const { code, stderr } = await alone.ended
    expect([code, stderr]).toEqual([0, expect.stringContaining('Warning: ')])
    expect(stderr).toContain('The folder lib belongs beside the program')
  })
})

test('the release ignores files in its working folder and ends on SIGTERM', async () => {
  expect(existsSync(join(folder, 'taken-over'))).toBe(false)
  running.signal('SIGTERM')
  const { code, stderr } = await running.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

const readOnly = 'mount --bind "$1" "$1" && mount -o remount,bind,ro / && shift && exec "$@"'
const mayMount = spawnSync('unshare', ['--mount', 'sh', '-c', readOnly, 'sh', '/mnt', 'true']).status === 0

test.if(mayMount)('the release serves from a read-only system, as a user without a name', async () => {
  const volumes = join(folder, 'volumes')
  for (const name of ['srv', 'database']) mkdirSync(join(volumes, name), { recursive: true })
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'image/opt'), { recursive: true })
  symlinkSync(release, join(folder, 'image/opt/filestead'))
  symlinkSync('/proc', join(folder, 'image/proc'))
  const port = await freePort()
  const env = {
    ...{ FILESTEAD_IMAGE: join(folder, 'image'), FILESTEAD_DATABASE: join(volumes, 'database/filebrowser.db') },
    ...{ FILESTEAD_ROOT: join(volumes, 'srv'), FILESTEAD_ADDRESS: '127.0.0.1', FILESTEAD_PORT: String(port) },
    ...{ PUID: '31337', PGID: '31337' },
  }
  const entry = join(release, 'packaging/container/entry.sh')
  await using contained = launch(['--mount', 'sh', '-c', readOnly, 'sh', volumes, entry], { command: 'unshare', env })
  const there = `http://127.0.0.1:${port}`
  await untilHealthy(there, contained)
  const password = /randomly generated password: (\S+)/.exec(contained.stdout())?.[1] ?? ''
  const headers = { 'x-auth': await signIn(there, { ...admin, password }) }
  const body = new Uint8Array(readFileSync(at('picture.jpg')))
  expect((await askAt(there, '/api/resources/p.jpg', { method: 'POST', headers, body })).status).toBe(200)
  expect((await askAt(there, '/api/preview/thumb/p.jpg', { headers })).status).toBe(200)
  const packed = await askAt(there, '/api/raw/?algo=tarbz2', { headers })
  expect(Buffer.from(await packed.bytes()).toString('latin1', 0, 3)).toBe('BZh')
  const owners = readdirSync(volumes, { recursive: true, encoding: 'utf8' }).map(
    (name) => statSync(join(volumes, name)).uid,
  )
  expect([...new Set(owners)]).toEqual([31_337])
  contained.signal('SIGTERM')
  expect((await contained.ended).code).toBe(0)
})

/** The blocks of an LZ4 frame, whose lengths the library wants before each of them. */
async function unframed(frame: Uint8Array): Promise<Uint8Array> {
  const bytes = Buffer.from(frame)
  expect(bytes.readUInt32LE(0)).toBe(0x184d2204)
  const blocks: Uint8Array[] = []
  for (let at = 7; bytes.readUInt32LE(at) !== 0; ) {
    const size = bytes.readUInt32LE(at)
    const block = bytes.subarray(at + 4, at + 4 + (size & 0x7fffffff))
    blocks.push(size & 0x80000000 ? block : await uncompress(Buffer.concat([lengthOfBlock, block])))
    at += 8 + block.length
  }
  return Buffer.concat(blocks)
}

const lengthOfBlock = Buffer.from(new Uint32Array([2 ** 18]).buffer)
