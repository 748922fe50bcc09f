import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { wholeBody } from './whole-body.ts'

/** Answers later than in the turn of the request, as all do that ask a thread. */
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    const length = Number(searchParams.get('length'))
    const bytes = new Uint8Array(length).fill(Number(searchParams.get('fill') ?? 65))
    await Bun.sleep(1)
    const body = wholeBody(pathname === '/text' ? 'ä'.repeat(length / 2) : bytes, request)
    // The memory is used for something else by the time that the answer is sent.
    if (pathname === '/passing') queueMicrotask(() => bytes.fill(0))
    return new Response(body, { headers: { 'x-one': '1', 'x-two': '2' } })
  },
})
afterAll(() => server.stop(true))

const address = (path: string): string => new URL(path, server.url).href

test.each([100, 15_359, 15_360, 24_000, 262_144, 262_145, 1_000_000])(
  '%p bytes come whole, with their length',
  async (length) => {
    for (const path of ['bytes', 'passing', 'text']) {
      const even = length - (length % 2)
      const answer = await fetch(address(`/${path}?length=${even}`))
      expect(answer.headers.get('content-length')).toBe(String(even))
      const expected = path === 'text' ? Buffer.from('ä'.repeat(even / 2)) : Buffer.alloc(even, 65)
      expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), expected)).toBe(0)
    }
  },
)

test('HEAD tells the length', async () => {
  const answer = await fetch(address('/bytes?length=24000'), { method: 'HEAD' })
  expect(answer.headers.get('content-length')).toBe('24000')
})

/** How many bytes come first of each of some answers. Asked by another process, which takes them as they come. */
async function firstLengths(path: string): Promise<number[]> {
  const client = `
    const { connect } = require('node:net')
    const first = () => new Promise((resolve) => {
      const socket = connect(${server.port}, '127.0.0.1', () => socket.write('GET ${path} HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n'))
      socket.once('data', (data) => { resolve(data.length); socket.destroy() })
    })
    const lengths = []
    for (let times = 0; times < 30; times += 1) lengths.push(await first())
    console.log(JSON.stringify(lengths))`
  const { stdout } = Bun.spawn([process.execPath, '-e', client], { stdout: 'pipe' })
  return JSON.parse(await new Response(stdout).text()) as number[]
}

test('headers and body leave together', async () => {
  expect(Math.min(...(await firstLengths('/bytes?length=24000')))).toBeGreaterThan(4000)
})

test('a client of HTTP 1.0 gets the length as well', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect(server.port ?? 0, '127.0.0.1', () => {
    socket.write('GET /bytes?length=24000 HTTP/1.0\r\nHost: a\r\n\r\n')
  })
  socket.once('data', (data) => resolve(data.toString('latin1', 0, 1000)))
  expect(await promise).toContain('Content-Length: 24000\r\n')
  socket.destroy()
})

test('answers on one connection do not mix, and those that nobody takes keep none waiting', async () => {
  const left = Array.from({ length: 20 }, () => connect(server.port ?? 0, '127.0.0.1'))
  for (const socket of left) socket.pause().write('GET /bytes?length=262144 HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(8))
  const one = async (fill: number) => {
    const length = 16_000 + fill * 100
    const bytes = await (await fetch(address(`/passing?length=${length}&fill=${fill}`))).bytes()
    return bytes.length === length && bytes.every((byte) => byte === fill)
  }
  const all = await Promise.all(Array.from({ length: 200 }, (_, index) => one(1 + (index % 200))))
  expect(all.every(Boolean)).toBe(true)
  for (const socket of left) socket.destroy()
})
