import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from './disk.ts'
import { openEvents, openFolder } from './event-stream.ts'
import { freePort } from './free-port.ts'
import { headOf } from './line.ts'
import { admin, askAs, initialise, launch, type Running, signIn, startProgram, until, untilHealthy } from './process.ts'
import type { Ask } from './server.ts'
import { lineTo, untilServing } from './serving-processes.ts'

setDefaultTimeout(120_000)

const nginx = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })

describe.if(nginx !== null)('behind nginx with its defaults, below a base URL', () => {
  const folder = scratchFolder('events-nginx')
  const at = (path: string) => join(folder, 'root', path)
  let server: Running
  let proxy: Running
  let ask: Ask

  beforeAll(async () => {
    mkdirSync(at('box'), { recursive: true })
    const database = join(folder, 'filestead.db')
    await initialise(database)
    const [port, front] = [await freePort(), await freePort()]
    server = launch(['-d', database, '-r', join(folder, 'root'), '-p', String(port), '-b', '/files'])
    await untilHealthy(`http://127.0.0.1:${port}/files`, server)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    )
    writeFileSync(
      join(folder, 'nginx.conf'),
      [
        `daemon off; pid ${join(folder, 'nginx.pid')}; worker_processes 1; events { worker_connections 256; }`,
        `http { access_log off; gzip on; gzip_types *; ${temporary.join(' ')}`,
        `server { listen 127.0.0.1:${front}; location /files/ { proxy_pass http://127.0.0.1:${port}; } } }`,
      ].join('\n'),
    )
    proxy = launch(['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
      command: nginx ?? '',
    })
    const url = `http://127.0.0.1:${front}/files`
    await untilHealthy(url, proxy)
    ask = askAs(url, await signIn(url, admin))
  })
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  test('events come as they happen, and the end of the client reaches the server', async () => {
    const query = openFolder('/box')
    await using stream = await openEvents(ask, query, { headers: { 'accept-encoding': 'gzip' } })
    await stream.until('hello')
    for (const name of ['one.txt', 'two.txt']) {
      writeFileSync(at(`box/${name}`), name)
      await stream.until('folder', ({ put }) => put.some((entry) => entry.name === name))
    }
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
    // Twenty that come and go leave room for the next.
    for (let count = 0; count < 25; count += 1) {
      await until(async () => {
        const other = await openEvents(ask).catch(() => undefined)
        await other?.[Symbol.asyncDispose]()
        return other !== undefined
      })
    }
  })
})

test('a change in one process is told to a client of another one, and so is an upload', async () => {
  await using program = await startProgram({ flags: ['--processes', '2'] })
  const [one = 0, two = 0] = await untilServing(program.url, program.pid, 2)
  mkdirSync(join(program.root, 'box'))
  const head = (method: string, path: string, more: Record<string, string | number> = {}) =>
    headOf(method, path, { 'x-auth': program.token, ...more })
  const line = await lineTo(program.url, one, head('GET', '/api/events?folder=/elsewhere'))
  let text = ''
  line.socket.on('data', (piece: Buffer) => {
    text += piece.toString()
  })
  await until(() => text.includes('event: hello'))
  const once = { connection: 'close', 'content-length': 0, 'upload-length': 8 }
  const asked = await lineTo(program.url, two, head('POST', '/api/tus/box/large.bin', once))
  expect(await asked.status).toBe(201)
  await until(() => text.includes('/box/large.bin'))
  line.reset()
})
