import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { Upload } from 'tus-js-client'
import { draftsBelow } from './disk.ts'
import { headOf, type Line, openLine } from './line.ts'
import { startProgram, until } from './process.ts'
import { startServer, type TestServer } from './server.ts'
import { pieceType, tusOf } from './tus.ts'

const content = randomBytes(2_000_000)

let server: TestServer
let token: string
let ann: ReturnType<typeof tusOf>
beforeAll(async () => {
  server = await startServer()
  await server.addUser('ann')
  token = await server.signIn('ann')
  ann = tusOf(await server.as('ann'))
})
beforeEach(async () => {
  rmSync(server.root, { recursive: true })
  server.put({ 'other.txt': '' })
  await server.app.deps.db.deleteFrom('upload').execute()
})
afterAll(() => server.stop())

const draftSize = (root: string): number => {
  const [draft] = draftsBelow(root)
  return draft === undefined ? -1 : statSync(join(root, draft)).size
}

const head = (path: string, offset: number, more: Record<string, string | number>) =>
  headOf('PATCH', `/api/tus${path}`, { 'x-auth': token, 'content-type': pieceType, 'upload-offset': offset, ...more })

const isWhole = (path: string) => readFileSync(join(server.root, path)).equals(content)

/** Sends the rest. The server answers 423 until it has noticed that a connection was cut, and has let go of the draft. */
async function continued(tus: ReturnType<typeof tusOf>, offset: number): Promise<number> {
  let status = 423
  await until(async () => {
    status = (await tus.append('/a.bin', offset, content.subarray(offset))).status
    return status !== 423
  })
  return status
}

describe('A cut connection', () => {
  const ways: { how: string; cut: (line: Line) => void }[] = [
    { how: 'closed', cut: (line) => line.close() },
    { how: 'reset', cut: (line) => line.reset() },
  ]
  const framings: { framing: string; headers: Record<string, string | number>; before: string }[] = [
    { framing: 'with a length', headers: { 'content-length': content.length }, before: '' },
    {
      framing: 'in chunks',
      headers: { 'transfer-encoding': 'chunked' },
      before: `${content.length.toString(16)}\r\n`,
    },
  ]
  const cases = ways.flatMap((way) => framings.map((framing) => ({ ...way, ...framing })))

  test.each(cases)('($how, $framing) loses no received bytes', async ({ cut, headers, before }) => {
    await ann.create('/a.bin', content.length)
    const line = await openLine(server.url)
    await line.send(head('/a.bin', 0, headers) + before)
    await line.send(content.subarray(0, 777_777))
    await until(() => draftSize(server.root) === 777_777)
    cut(line)
    expect(await continued(ann, 777_777)).toBe(204)
    expect(isWhole('a.bin')).toBe(true)
  })

  test('in the middle of a piece with a checksum drops that piece', async () => {
    await ann.create('/a.bin', content.length)
    await ann.append('/a.bin', 0, content.subarray(0, 1000))
    const line = await openLine(server.url)
    const checksum = { 'upload-checksum': 'sha1 AAAAAAAAAAAAAAAAAAAAAAAAAAA=' }
    await line.send(head('/a.bin', 1000, { 'content-length': 1_000_000, ...checksum }))
    await line.send(content.subarray(1000, 500_000))
    await until(() => draftSize(server.root) === 500_000)
    expect(await ann.offset('/a.bin')).toBe(1000)
    line.reset()
    await until(() => draftSize(server.root) === 1000)
    expect(draftSize(server.root)).toBe(1000)
    expect(await continued(ann, 1000)).toBe(204)
    expect(isWhole('a.bin')).toBe(true)
  })
})

describe('Two requests for the same upload', () => {
  test('one wins when both start before the first byte', async () => {
    await ann.create('/a.bin', content.length)
    const lines = await Promise.all([openLine(server.url), openLine(server.url)])
    for (const line of lines) {
      await line.send(head('/a.bin', 0, { 'content-length': content.length, connection: 'close' }))
      await Bun.sleep(20)
    }
    await Promise.all(lines.map((line, index) => line.send(index === 0 ? content : Buffer.alloc(content.length))))
    expect(await Promise.all(lines.map((line) => line.status))).toEqual([204, 423])
    expect(isWhole('a.bin')).toBe(true)
    for (const line of lines) line.close()
  })

  test('one wins when both arrive at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const path = `/${round}.bin`
      await ann.create(path, 4)
      const answers = await Promise.all(['aaaa', 'bbbb', 'cccc'].map((body) => ann.append(path, 0, body)))
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 204)).toHaveLength(1)
      expect(server.file(path)).toBe(['aaaa', 'bbbb', 'cccc'][statuses.indexOf(204)] ?? '')
    }
  })

  test('a cancellation stops a running request', async () => {
    await ann.create('/a.bin', content.length)
    const line = await openLine(server.url)
    await line.send(head('/a.bin', 0, { 'content-length': content.length }))
    await line.send(content.subarray(0, 1000))
    await until(() => draftSize(server.root) === 1000)
    expect((await ann.cancel('/a.bin')).status).toBe(204)
    expect(draftsBelow(server.root)).toEqual([])
    expect(await ann.offset('/a.bin')).toBe('status 404')
    line.reset()
  })
})

describe('tus-js-client', () => {
  let door: Server
  let doorUrl: string
  /** After how many bytes, counted over all connections, the one that brings them is cut. */
  let cuts: number[] = []
  let brought = 0
  /** The next answer that tells of the last byte does not arrive. */
  let isLastAnswerLost = false
  beforeAll(async () => {
    const { hostname, port } = new URL(server.url)
    door = createServer((inner) => {
      const outer = connect(Number(port), hostname)
      inner.on('data', (piece) => {
        brought += piece.length
        if (brought < (cuts[0] ?? Number.POSITIVE_INFINITY)) return void outer.write(piece)
        cuts.shift()
        for (const socket of [inner, outer]) socket.destroy()
      })
      outer.on('data', (piece) => {
        if (!isLastAnswerLost || !piece.includes(`pload-offset: ${content.length}`)) return void inner.write(piece)
        isLastAnswerLost = false
        for (const socket of [inner, outer]) socket.destroy()
      })
      for (const socket of [inner, outer]) socket.on('error', () => {})
      for (const [one, other] of [
        [inner, outer],
        [outer, inner],
      ] as const)
        one.on('close', () => other.destroy())
    })
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
    const address = door.address()
    doorUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  })
  afterAll(() => void door.close())

  const upload = (options: ConstructorParameters<typeof Upload>[1] = {}, path = '/js.bin') =>
    new Promise<Upload>((resolve, reject) => {
      const self = new Upload(content, {
        endpoint: `${doorUrl}/api/tus${path}`,
        headers: { 'X-Auth': token },
        retryDelays: [20, 50, 100, 200, 200, 200],
        onError: reject,
        onSuccess: () => resolve(self),
        ...options,
      })
      self.start()
    })

  test.each([
    ['in one piece', {}],
    ['in pieces', { chunkSize: 300_000 }],
  ])('sends a file %s over connections that break', async (_, options) => {
    brought = 0
    cuts = [400_000, 1_100_000, 1_300_000]
    const { url } = await upload(options)
    expect(cuts).toEqual([])
    expect(url).toBe(`${doorUrl}/api/tus/js.bin`)
    expect(isWhole('js.bin')).toBe(true)
    expect(draftsBelow(server.root)).toEqual([])
  })

  test('continues a former upload at its offset', async () => {
    await ann.create('/js.bin', content.length)
    await ann.append('/js.bin', 0, content.subarray(0, 1_500_000))
    const sent: number[] = []
    await upload({ uploadUrl: `${doorUrl}/api/tus/js.bin`, onProgress: (bytes) => void sent.push(bytes) })
    expect(sent[0]).toBeGreaterThanOrEqual(1_500_000)
    expect(isWhole('js.bin')).toBe(true)
  })

  test('starts over without a stored upload address', async () => {
    await ann.create('/js.bin', content.length)
    await ann.append('/js.bin', 0, Buffer.alloc(1_500_000))
    await upload()
    expect(isWhole('js.bin')).toBe(true)
  })

  test('succeeds when the connection breaks before the last answer', async () => {
    brought = 0
    cuts = []
    isLastAnswerLost = true
    await upload({}, '/last.bin')
    expect(isLastAnswerLost).toBe(false)
    expect(isWhole('last.bin')).toBe(true)
  })

  test.each([
    ['the bytes with the beginning', { uploadDataDuringCreation: true, chunkSize: 300_000 }],
    ['POST instead of PATCH', { overridePatchMethod: true, chunkSize: 300_000 }],
    ['a checksum-free single piece with metadata', { metadata: { filename: 'ä', lastModified: '1500000000123' } }],
  ])('may send %s', async (_, options) => {
    brought = 0
    cuts = [500_000, 1_200_000]
    await upload(options, '/way.bin')
    expect(cuts).toEqual([])
    expect(isWhole('way.bin')).toBe(true)
  })

  test('fails with 409 on a taken name', async () => {
    server.put({ 'js.bin': 'old' })
    await expect(upload()).rejects.toThrow('response code: 409')
    await upload({}, '/js.bin?override=true')
    expect(isWhole('js.bin')).toBe(true)
  })
})

test('After kill -9 in the middle of a piece an upload continues, and the former file is unchanged', async () => {
  await using program = await startProgram()
  const admin = tusOf(program.ask)
  await program.ask('/api/resources/a.bin', { method: 'POST', body: 'the old content' })
  await admin.create('/a.bin?override=true', content.length)
  await admin.append('/a.bin', 0, content.subarray(0, 100_000))
  const line = await openLine(program.url)
  const headers = { 'x-auth': program.token, 'content-type': pieceType, 'upload-offset': 100_000 }
  await line.send(headOf('PATCH', '/api/tus/a.bin', { ...headers, 'content-length': 1_900_000 }))
  await line.send(content.subarray(100_000, 600_000))
  await until(() => draftSize(program.root) === 600_000)
  await program.kill()
  line.reset()

  await program.start()
  expect(readFileSync(join(program.root, 'a.bin'), 'utf8')).toBe('the old content')
  expect(await admin.offset('/a.bin')).toBe(600_000)
  expect(await continued(admin, 600_000)).toBe(204)
  expect(readFileSync(join(program.root, 'a.bin')).equals(content)).toBe(true)
  expect(draftsBelow(program.root)).toEqual([])
}, 120_000)

test('A small upload that is announced outlives a restart; after kill -9 it is begun anew, and neither leaves a draft', async () => {
  await using program = await startProgram()
  const admin = tusOf(program.ask)
  await admin.create('/a.txt', 3)
  await program.terminate()
  await program.start()
  expect(await admin.offset('/a.txt')).toBe(0)
  expect((await admin.append('/a.txt', 0, 'abc')).status).toBe(204)

  await admin.create('/b.txt', 3)
  await program.kill()
  await program.start()
  if ((await admin.offset('/b.txt')) !== 0) expect((await admin.create('/b.txt', 3)).status).toBe(201)
  expect((await admin.append('/b.txt', 0, 'abc')).status).toBe(204)
  expect(['a.txt', 'b.txt'].map((name) => readFileSync(join(program.root, name), 'utf8'))).toEqual(['abc', 'abc'])
  expect(draftsBelow(program.root)).toEqual([])
}, 120_000)

test('tus-js-client survives kill -9 and a restart', async () => {
  await using program = await startProgram()
  const large = randomBytes(30_000_000)
  const [sent, restarted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const upload = new Upload(large, {
    endpoint: `${program.url}/api/tus/large.bin`,
    headers: { 'X-Auth': program.token },
    chunkSize: 4_000_000,
    retryDelays: Array.from({ length: 2000 }, () => 50),
    // Where there is another server it goes on there at once, and may not be over before the second kill.
    onBeforeRequest: async (request) => {
      if (Number(request.getHeader('Upload-Offset') ?? 0) > 10_000_000) await restarted.promise
    },
    onError: sent.reject,
    onSuccess: () => sent.resolve(),
  })
  upload.start()
  for (const size of [5_000_000, 15_000_000]) {
    await until(() => draftSize(program.root) > size)
    expect(draftSize(program.root)).toBeGreaterThan(size)
    await program.kill()
    await program.start()
    restarted.resolve()
  }
  await sent.promise
  const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  expect(sumOf(readFileSync(join(program.root, 'large.bin')))).toBe(sumOf(large))
  expect(draftsBelow(program.root)).toEqual([])
}, 120_000)
