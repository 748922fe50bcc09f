import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { listen } from '../src/http/listener.ts'
import { makePair, nameShown, type Pair } from './certificates.ts'
import { scratchFolder } from './disk.ts'
import { freePort } from './free-port.ts'
import { admin, initialise, launch, run, until } from './process.ts'
import { tusOf } from './tus.ts'

setDefaultTimeout(120_000)

const folder = scratchFolder('tls')
const database = join(folder, 'filestead.db')
const root = join(folder, 'root')

describe.if(Bun.which('openssl') !== null)('over TLS', () => {
  let pairs: Record<'first' | 'second', Pair>
  beforeAll(async () => {
    mkdirSync(root)
    await initialise(database)
    await run(['users', 'update', 'admin', '--commands', 'echo', '-d', database])
    pairs = { first: makePair(folder, 'first'), second: makePair(folder, 'second') }
  })

  /** The pair that a server uses, whose files can be replaced. */
  function pairInUse(name: string): Pair & { become(pair: Pair, parts?: (keyof Pair)[]): void } {
    const used = { cert: join(folder, `${name}-used.pem`), key: join(folder, `${name}-used.key`) }
    return {
      ...used,
      become(pair, parts = ['cert', 'key']) {
        for (const part of parts) {
          copyFileSync(pair[part], `${used[part]}.new`)
          renameSync(`${used[part]}.new`, used[part])
        }
      },
    }
  }

  test('the server works: sign-in, upload, download, redirect, command socket, renewal and stop', async () => {
    const used = pairInUse('program')
    used.become(pairs.first)
    const port = await freePort()
    const url = `https://127.0.0.1:${port}`
    const tls = { rejectUnauthorized: false }
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(url + path, { redirect: 'manual', keepalive: false, tls, ...init } as RequestInit)
    await using running = launch([
      ...['-d', database, '-r', root, '-p', String(port), '-t', used.cert, '-k', used.key],
      '--disableExec=false',
    ])
    let isUp = false
    for (let tries = 0; !isUp && tries < 500; tries += 1) {
      isUp = await ask('/health').then(
        ({ ok }) => ok,
        () => Bun.sleep(20).then(() => false),
      )
    }
    expect(isUp).toBe(true)

    const answer = await ask('/api/login', { method: 'POST', body: JSON.stringify(admin) })
    const token = await answer.text()
    const cookies = answer.headers.getSetCookie()
    expect(cookies.map((cookie) => [cookie.split('=')[0], cookie.includes('; Secure')])).toEqual([
      ['auth', true],
      ['__Host-auth', true],
    ])
    const asAdmin = (path: string, init: RequestInit = {}) =>
      ask(path, { ...init, headers: { 'x-auth': token, ...(init.headers as Record<string, string>) } })
    const content = Buffer.alloc(3 << 20, 'over TLS ')
    expect((await asAdmin('/api/resources/large.bin', { method: 'POST', body: content })).status).toBe(200)
    expect(Buffer.from(await (await asAdmin('/api/raw/large.bin')).arrayBuffer()).equals(content)).toBe(true)
    const part = await asAdmin('/api/raw/large.bin', { headers: { range: 'bytes=10-19' } })
    expect([part.status, await part.text()]).toEqual([206, content.toString('latin1', 10, 20)])
    const tus = tusOf(asAdmin)
    expect((await tus.create('/tus.bin', 10)).status).toBe(201)
    expect((await tus.append('/tus.bin', 0, 'ten bytes!')).status).toBe(204)
    const redirected = await ask('/api//login', { method: 'POST' })
    expect([redirected.status, redirected.headers.get('location')]).toEqual([308, '/api/login'])

    expect(await commandOver(`wss://127.0.0.1:${port}`, token)).toBe('over tls')

    // A renewal, and the signal that announces it.
    const kept = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await new Promise((resolve) => kept.once('secureConnect', resolve))
    expect(await nameShown(port)).toBe('first')
    used.become(pairs.second)
    running.signal('SIGHUP')
    let name = ''
    for (let tries = 0; name !== 'second' && tries < 500; tries += 1)
      name = await nameShown(port).catch(() => Bun.sleep(10).then(() => ''))
    expect(name).toBe('second')
    expect((await asAdmin('/api/raw/tus.bin')).status).toBe(200)
    const reply = Promise.withResolvers<string>()
    kept.once('data', (piece: Buffer) => reply.resolve(piece.toString()))
    kept.once('close', () => reply.resolve('closed'))
    kept.write('GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
    expect(await reply.promise).toStartWith('HTTP/1.1 200')

    const { code } = await run(['health', '-d', database, '-p', String(port), '-t', used.cert, '-k', used.key])
    expect(code).toBe(0)
    running.signal('SIGTERM')
    const ended = await running.ended
    expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining('The new TLS certificate is in use')])
  })

  async function commandOver(url: string, token: string): Promise<string> {
    const options = { headers: { cookie: `auth=${token}` }, tls: { rejectUnauthorized: false } }
    const socket = new WebSocket(`${url}/api/command/`, options as never)
    const said: string[] = []
    socket.addEventListener('message', ({ data }) => said.push(String(data)))
    await new Promise((resolve) => socket.addEventListener('open', resolve))
    const ended = new Promise((resolve) => socket.addEventListener('close', resolve))
    socket.send('echo over tls')
    await ended
    return said.join('').trim()
  }

  const listening = (used: Pair, log: Log = quiet) =>
    listen(
      { address: '127.0.0.1', port: 0, socket: '', socketPerm: 0o600, ...used, baseURL: '', trustedProxies: '' },
      log,
      async (request) => {
        if (new URL(request.url).pathname === '/slow') {
          arrived.resolve()
          await released.promise
        }
        const text = await request.text()
        reached.push(text)
        return new Response(text)
      },
      { certificate: { every: 10 } },
    )
  type Log = Parameters<typeof listen>[1]
  const quiet: Log = { info() {}, warn() {}, error() {} }
  let released = Promise.withResolvers<void>()
  let arrived = Promise.withResolvers<void>()
  /** The bodies of all requests that were answered. */
  const reached: string[] = []

  test('renewals under load lose no request, and running requests are answered', async () => {
    const used = pairInUse('load')
    used.become(pairs.first)
    const listener = listening(used)
    const port = Number(new URL(listener.url).port)
    released = Promise.withResolvers<void>()
    arrived = Promise.withResolvers<void>()
    const tls = { rejectUnauthorized: false }
    const body = 'what is sent comes back'
    const idle = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    const firstAnswer = new Promise((resolve) => idle.once('data', resolve))
    idle.on('error', () => {}).write('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
    await firstAnswer
    const slow = fetch(`${listener.url}/slow`, { method: 'POST', body, tls } as RequestInit)
    await arrived.promise

    let isOver = false
    let answered = 0
    const wrong: string[] = []
    /** A connection during the exchange of the socket may be refused; nothing has been sent by then. */
    const asked = async (body: string): Promise<string> => {
      for (let tries = 0; ; tries += 1)
        try {
          const init = { method: 'POST', body, tls, keepalive: answered % 2 === 0 } as RequestInit
          return await (await fetch(`${listener.url}/`, init)).text()
        } catch (error) {
          if (tries === 3) throw error
        }
    }
    const load = Array.from({ length: 3 }, async () => {
      while (!isOver) {
        answered += 1
        const text = `request ${answered}`
        const back = await asked(text).catch(String)
        if (back !== text) wrong.push(back)
      }
    })
    for (const next of ['second', 'first', 'second'] as const) {
      const before = answered
      used.become(pairs[next])
      const deadline = Date.now() + 10_000
      while ((await nameShown(port).catch(() => '')) !== next && Date.now() < deadline) await Bun.sleep(5)
      expect(await nameShown(port).catch(() => nameShown(port))).toBe(next)
      while (answered < before + 10 && Date.now() < deadline) await Bun.sleep(1)
    }
    isOver = true
    await Promise.all(load)
    expect({ wrong, some: answered > 30 }).toEqual({ wrong: [], some: true })
    // Sent again only what had not reached the server.
    const requests = reached.filter((text) => text.startsWith('request'))
    expect(new Set(requests).size).toBe(requests.length)
    released.resolve()
    expect(await (await slow).text()).toBe(body)
    // Connections that were opened with the old certificates, and are idle now, are not waited for.
    await Promise.race([listener.close(50_000), Bun.sleep(20_000).then(() => Promise.reject(new Error('it waits')))])
  })

  test('a new pair that does not match or is truncated is not used, and the log has it once', async () => {
    const used = pairInUse('broken')
    used.become(pairs.first)
    const warned: string[] = []
    const listener = listening(used, {
      ...quiet,
      warn: (facts: unknown) => void warned.push((facts as { reason: string }).reason),
    })
    const port = Number(new URL(listener.url).port)
    used.become(pairs.second, ['cert'])
    await until(() => warned.length > 0)
    await Promise.all([listener.checkCertificate(), listener.checkCertificate()])
    expect([await nameShown(port), warned]).toEqual([
      'first',
      [`The key ${used.key} does not belong to the certificate ${used.cert}`],
    ])
    writeFileSync(used.cert, readFileSync(pairs.second.cert).subarray(0, 200))
    await until(() => warned.length > 1)
    expect([await nameShown(port), warned.slice(1)]).toEqual([
      'first',
      [`${used.cert} is not a whole certificate in PEM`],
    ])
    used.become(pairs.second)
    await listener.checkCertificate()
    expect([await nameShown(port), warned.length]).toEqual(['second', 2])
    await listener.close(0)
  })

  test('a certificate that expires soon is logged', async () => {
    const used = makePair(folder, 'short', 3)
    const warned: unknown[] = []
    const listener = listening(used, { ...quiet, warn: (...entry: unknown[]) => void warned.push(entry) })
    expect(warned).toEqual([
      [{ cert: used.cert, validTo: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) }, 'The TLS certificate expires soon'],
    ])
    await listener.checkCertificate()
    expect(warned).toHaveLength(1)
    await listener.close(0)
  })

  test('a pair that cannot be used ends the start with one line and creates nothing', async () => {
    const missing = await run([
      '-d',
      join(folder, 'none.db'),
      '-r',
      root,
      '-p',
      '0',
      '-t',
      '/nowhere.pem',
      '-k',
      '/no.key',
    ])
    const mixed = await run([
      ...['-d', join(folder, 'none.db'), '-r', root, '-p', '0'],
      ...['-t', pairs.first.cert, '-k', pairs.second.key],
    ])
    expect([missing.code, mixed.code]).toEqual([1, 1])
    expect(missing.stderr).toMatch(/^Error: \/nowhere\.pem cannot be read: [^\n]*\n$/)
    expect(mixed.stderr).toBe(
      `Error: The key ${pairs.second.key} does not belong to the certificate ${pairs.first.cert}. Name a certificate with --cert and its key with --key\n`,
    )
    expect(await Bun.file(join(folder, 'none.db')).exists()).toBe(false)
  })
})
