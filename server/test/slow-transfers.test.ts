import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesOf } from '../src/http/body.ts'
import { listen } from '../src/http/listener.ts'
import type { RequestContext } from '../src/http/request.ts'
import { bodyIn, headOf, openLine } from './line.ts'
import { startServer, type TestServer } from './server.ts'

// The runtime cuts connections that nothing keeps awake after 12 seconds.
const longEnough = 12_500

let server: TestServer
let token: string
const large = Buffer.alloc(24 << 20, 'a line of a large file that is read slowly\n')
beforeAll(async () => {
  server = await startServer()
  await server.addUser('ann')
  token = await server.signIn('ann')
  server.put({ 'large.bin': large })
})
afterAll(() => server.stop())

describe.concurrent('Slow clients:', () => {
  // The runtime counts in steps of four seconds: what is still there after twelve has been kept awake.
  test.each([
    ['a port', 'GET', ''],
    ['a port', 'POST', 'body'],
    ['a socket', 'GET', ''],
    ['a socket', 'POST', 'body'],
  ])(
    'over %s, a %s with a slow answer is answered',
    async (where, method, body) => {
      const socket = where === 'a socket' ? join(mkdtempSync(join(tmpdir(), 'slow-')), 'socket') : ''
      const places = { address: '127.0.0.1', port: 0, socket, socketPerm: 0o600 }
      const listener = listen(
        { ...places, cert: '', key: '', baseURL: '', trustedProxies: '' },
        { info() {}, warn() {}, error() {} },
        async (request, connection) => {
          const sent = await Array.fromAsync(bytesOf({ request, connection } as RequestContext))
          await Bun.sleep(longEnough)
          return new Response(Buffer.concat(sent))
        },
        { idleSeconds: 8 },
      )
      const url = socket === '' ? listener.url : 'http://localhost/'
      const unix = socket === '' ? {} : { unix: socket }
      const answer = await fetch(url, { method, ...unix, ...(body !== '' && { body }) })
      expect(await answer.text()).toBe(body)
      await listener.close(0)
    },
    120_000,
  )

  test.each([
    ['with its length', (length: number) => ({ 'content-length': length }), (piece: string) => piece],
    [
      'in chunks',
      () => ({ 'transfer-encoding': 'chunked' }),
      (piece: string) => `${piece.length.toString(16)}\r\n${piece}\r\n`,
    ],
  ])(
    'a file sent slowly in %s arrives complete',
    async (how, headers, frame) => {
      const pieces = Array.from({ length: 11 }, (_, i) => `piece ${String(i).padStart(2, '0')} of twenty.`.padEnd(20))
      const whole = pieces.join('')
      const name = `${how.replaceAll(' ', '-')}.txt`
      const line = await openLine(server.url)
      const common = { 'x-auth': token, connection: 'close' }
      await line.send(headOf('POST', `/api/resources/${name}`, { ...common, ...headers(whole.length) }))
      for (const piece of pieces) {
        await Bun.sleep(longEnough / pieces.length)
        await line.send(frame(piece))
      }
      if (how === 'in chunks') await line.send('0\r\n\r\n')
      expect(await line.status).toBe(200)
      expect(server.file(name)).toBe(whole)
    },
    120_000,
  )

  test('a file with a long pause in the middle arrives complete', async () => {
    const line = await openLine(server.url)
    await line.send(headOf('POST', '/api/resources/paused.txt', { 'x-auth': token, 'content-length': 10 }))
    await line.send('first')
    await Bun.sleep(longEnough)
    await line.send('other')
    expect(await line.status).toBe(200)
    expect(server.file('paused.txt')).toBe('firstother')
    line.close()
  }, 120_000)

  test.each(['/api/raw/large.bin', '/api/raw/large.bin?inline=true'])(
    '%s reaches a client that pauses between reads',
    async (path) => {
      const line = await openLine(server.url)
      await line.send(headOf('GET', path, { 'x-auth': token }))
      expect(await line.status).toBe(200)
      line.socket.pause()
      await Bun.sleep(longEnough)
      line.socket.resume()
      expect(bodyIn(await line.received).equals(large)).toBe(true)
    },
    120_000,
  )

  test('a connection whose headers drip is cut off, though each byte comes in time', async () => {
    const line = await openLine(server.url)
    await line.send(headOf('GET', '/health', {}).replace(/\r\n$/, 'x-slow: '))
    const dripping = setInterval(() => void line.send('a').catch(() => {}), 1000)
    expect((await line.received).length).toBe(0)
    clearInterval(dripping)
  }, 120_000)

  test.each<[string, () => Buffer | ReadableStream]>([
    ['a text', () => large],
    ['a stream', () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })],
  ])(
    'the answer to a client that stops reading %s is aborted by the idle timeout',
    async (_what, body) => {
      const aborted = Promise.withResolvers<void>()
      const listener = listen(
        {
          address: '127.0.0.1',
          port: 0,
          socket: '',
          socketPerm: 0,
          cert: '',
          key: '',
          baseURL: '',
          trustedProxies: '',
        },
        { info() {}, warn() {}, error() {} },
        (request) => {
          request.signal.addEventListener('abort', () => aborted.resolve())
          return new Response(body())
        },
        { idleSeconds: 4 },
      )
      const line = await openLine(listener.url)
      line.socket.pause()
      await line.send(headOf('GET', '/', {}))
      await aborted.promise
      line.reset()
      await listener.close(0)
    },
    120_000,
  )
})
