import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Upload } from 'tus-js-client'
import { jsonIn } from './answers.ts'
import { freePort } from './free-port.ts'
import { admin, askAs, askAt, initialise, launch, type Running, run, signIn, untilHealthy } from './process.ts'
import type { Ask } from './server.ts'
import { sendRaw } from './socket.ts'

setDefaultTimeout(120_000)

// The example of the manual in front of the real server: below a base path, with shorter timeouts.
const example = readFileSync(join(import.meta.dirname, '../../packaging/proxies/nginx.conf'), 'utf8')
const nginx = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })

describe.if(nginx !== null)('behind nginx', () => {
  let folder: string
  let server: Running
  let proxy: Running
  let url: string
  let token: string
  let ask: Ask
  const at = (path: string) => join(folder, 'root', path)

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'filestead-nginx-'))
    mkdirSync(at('box'), { recursive: true })
    const database = join(folder, 'filestead.db')
    await initialise(database)
    const [port, front] = [await freePort(), await freePort()]
    const trust = ['--trustedProxies', '127.0.0.1']
    server = launch(['-d', database, '-r', join(folder, 'root'), '-p', String(port), '-b', '/files', ...trust])
    await untilHealthy(`http://127.0.0.1:${port}/files`, server)
    writeFileSync(join(folder, 'nginx.conf'), configuration(port, front))
    proxy = launch(['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
      command: nginx ?? '',
    })
    url = `http://127.0.0.1:${front}/files`
    await untilHealthy(url, proxy)
    token = await signIn(url, admin)
    ask = askAs(url, token)
  })

  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The example with the paths of this machine and shorter timeouts. */
  function configuration(port: number, front: number): string {
    const block = example
      .replace('listen 443 ssl;', `listen 127.0.0.1:${front};`)
      .replace(/ssl_certificate.*\n/g, '\n')
      .replace('location / {', 'location /files/ {')
      .replace('http://127.0.0.1:8080', `http://127.0.0.1:${port}`)
      .replace(/(_timeout) 60s/g, '$1 2s')
    expect(block.match(/_timeout 2s/g)).toHaveLength(3)
    expect(block).toContain('client_max_body_size 10m;')
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    )
    return [
      `daemon off; pid ${join(folder, 'nginx.pid')}; worker_processes 1; events { worker_connections 256; }`,
      `http { access_log off; ${temporary.join(' ')}`,
      block,
      '}',
    ].join('\n')
  }

  test.each([5_000_000, 10 * 1024 * 1024])(
    'an upload larger than the limit of the proxy finishes in pieces of %d bytes',
    async (chunkSize) => {
      const content = Buffer.alloc(26_000_000, `in pieces of ${chunkSize} `)
      await new Promise<void>((resolve, reject) => {
        new Upload(content, {
          endpoint: `${url}/api/tus/large-${chunkSize}.bin`,
          chunkSize,
          retryDelays: null,
          headers: { 'x-auth': token },
          onSuccess: () => resolve(),
          onError: reject,
        }).start()
      })
      expect(readFileSync(at(`large-${chunkSize}.bin`)).equals(content)).toBe(true)
    },
  )

  test('a piece slower than every timeout of the proxy arrives while its bytes flow', async () => {
    const pieces = 12
    const body = new ReadableStream({
      async pull(controller) {
        for (let sent = 0; sent < pieces; sent += 1) {
          controller.enqueue(Buffer.alloc(1000, 's'))
          await Bun.sleep(250)
        }
        controller.close()
      },
    })
    const create = { method: 'POST', headers: { 'upload-length': String(pieces * 1000) } }
    expect((await ask('/api/tus/slow.bin', create)).status).toBe(201)
    const headers = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
    const sent = await ask('/api/tus/slow.bin', { method: 'PATCH', headers, body })
    expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, String(pieces * 1000)])
  })

  test('a file over the limit of the proxy, sent in one request, is refused and leaves nothing', async () => {
    const answer = await ask('/api/resources/too-large.bin', { method: 'POST', body: Buffer.alloc(11_000_000) })
    expect(answer.status).toBe(413)
    expect(
      (await jsonIn<{ items: { name: string }[] }>(ask('/api/resources/'))).items.map(({ name }) => name),
    ).not.toContain('too-large.bin')
  })

  test('downloads, ranges, archives and the page pass the proxy below a base path', async () => {
    const content = Buffer.alloc(12_000_000, 'to be downloaded ')
    writeFileSync(at('box/content.bin'), content)
    const whole = await ask('/api/raw/box/content.bin')
    expect(Buffer.from(await whole.bytes()).equals(content)).toBe(true)
    const part = await ask('/api/raw/box/content.bin', { headers: { range: 'bytes=5000000-5000009' } })
    expect([part.status, await part.text()]).toEqual([206, content.toString('latin1', 5_000_000, 5_000_010)])
    expect((await (await ask('/api/raw/box?algo=tar')).bytes()).length).toBeGreaterThan(content.length)
    const page = await (await ask('/files/box')).text()
    expect(page).toContain('"BaseURL":"/files"')
    const script = /src="(\/files\/static\/[^"]+)"/.exec(page)?.[1] ?? 'none'
    expect((await askAt(new URL(url).origin, script)).status).toBe(200)
  })

  test('the doctor passes the proxy, and reports a body limit smaller than a piece', async () => {
    const database = join(folder, 'filestead.db')
    const examine = (address: string) =>
      run(['doctor', '-d', database, '-r', join(folder, 'root'), '-p', '0', '--url', address])
    const well = await examine(`${url}/`)
    expect([well.code, well.stdout]).toEqual([0, expect.stringContaining('pieces of 10.5 MB come through')])
    const elsewhere = await examine(new URL(url).origin)
    expect([elsewhere.code, elsewhere.stdout]).toEqual([1, expect.stringContaining('something else than Filestead')])
    const nowhere = await examine('http://127.0.0.1:1')
    expect([nowhere.code, nowhere.stdout]).toEqual([1, expect.stringContaining('cannot be reached')])
    await run(['config', 'set', '--tus.chunkSize', '20000000', '-d', database])
    const refused = await examine(url)
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringMatching(/refused with 413.*\n.*client_max_body_size/),
    ])
  })

  test('a backslash in a path is refused behind the proxy, and an encoded one is a letter', async () => {
    const answerTo = (target: string) => sendRaw(url, 'GET', target, { 'x-auth': token })
    for (const target of ['/files/api/public/..\\users', '/files/..\\files\\api\\users']) {
      const { status, body } = await answerTo(target)
      expect([target, status, body]).toEqual([target, 400, expect.stringContaining('nginx')])
    }
    writeFileSync(at('x\\y.txt'), 'letter')
    for (const target of ['/files/api/raw/x%5Cy.txt', '/files/health?x=\\'])
      expect([target, (await answerTo(target)).status]).toEqual([target, 200])
  })

  test('the server trusts the headers of the proxy and none that a client sends through it', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
    const answer = await ask('/api/login', { method: 'POST', headers, body: JSON.stringify(admin) })
    expect(answer.headers.get('set-cookie')).not.toContain('Secure')
    const sessions = await jsonIn<{ address: string }[]>(ask('/api/sessions'))
    expect([...new Set(sessions.map(({ address }) => address))]).toEqual(['127.0.0.1'])
    expect(server.stdout()).not.toContain('Ignoring forwarding headers')
  })
})
