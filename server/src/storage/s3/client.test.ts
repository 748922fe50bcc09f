import { afterEach, beforeEach, expect, test } from 'bun:test'
import { refusalOf } from '../testing/subject.fixture.ts'
import { type Client, type ClientOptions, s3Client } from './client.ts'
import { objectsOf } from './objects.ts'
import type { S3Refusal } from './refusal.ts'
import { fixtureServer } from './servers.fixture.ts'

let given: Awaited<ReturnType<typeof fixtureServer>>
let client: Client

beforeEach(async () => {
  given = await fixtureServer()
  client = connect()
})

afterEach(() => {
  client.close()
  given.stop()
})

const connect = (options: Partial<ClientOptions> = {}): Client =>
  s3Client({ place: given.place, keys: async () => given.keys, pause: 1, ...options })

/** The first so many requests meet the fault. */
function failing(fault: 'cut before' | 'cut after' | 'slow down' | 'internal error', times: number): void {
  let left = times
  given.server.fault = () => {
    left -= 1
    return left >= 0 ? fault : undefined
  }
}

test.each(['cut before', 'cut after', 'slow down', 'internal error'] as const)(
  '%s: a read is tried again',
  async (fault) => {
    given.server.put('a', 'content')
    failing(fault, 3)
    expect(Buffer.from(await objectsOf(client).get('a', 0, 7)).toString()).toBe('content')
    expect(given.server.asked).toHaveLength(4)
  },
)

test('a server that stays away is given up on, as unavailable', async () => {
  failing('cut before', 100)
  expect(await refusalOf(objectsOf(client).head('a'))).toMatchObject({ code: 'unavailable', status: 0 })
  expect(given.server.asked).toHaveLength(5)
  given.stop()
  expect(await refusalOf(objectsOf(client).head('a'))).toMatchObject({ code: 'unavailable', status: 0 })
})

test('a server that sends spaces while it works is told to be at work', async () => {
  const pieces = [' ', ' ', '<done/>']
  const slow = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            const piece = pieces.shift()
            if (piece === undefined) return controller.close()
            controller.enqueue(Buffer.from(piece))
            await Bun.sleep(20)
          },
        }),
      ),
  })
  const own = connect({ place: { ...given.place, endpoint: slow.url.origin } })
  let signs = 0
  const moved = () => {
    signs += 1
  }
  const text = await own.call({ method: 'POST', key: 'a', patience: 60_000, moved }, (response) => response.text())
  expect(text).toBe('  <done/>')
  expect(signs).toBeGreaterThan(0)
  own.close()
  await slow.stop(true)
})

test('what must not be done twice is not tried again after a lost answer, but after a refusal', async () => {
  const put = () => objectsOf(client).put('a', Buffer.from('x'), {}, false)
  failing('cut after', 1)
  const lost = (await refusalOf(put())) as S3Refusal
  expect([lost.code, lost.isUncertain, given.server.asked.length]).toEqual(['unavailable', true, 1])
  failing('slow down', 2)
  await put()
  expect(given.server.asked).toHaveLength(4)
})

test('another clock is noticed, and signatures follow it', async () => {
  given.server.ahead = 7_200_000
  given.server.put('a', 'x')
  expect((await objectsOf(client).page('', {})).objects).toHaveLength(1)
  const before = given.server.asked.length
  await objectsOf(client).page('', {})
  expect(given.server.asked.length - before).toBe(1)
})

test('keys that were replaced are read again, once', async () => {
  const keys = [given.keys, { accessKeyId: 'new', secretAccessKey: 'new secret' }]
  let reads = 0
  const rotating = connect({ keys: async () => keys[Math.min(reads++, 1)] ?? given.keys })
  await objectsOf(rotating).page('', {})
  given.server.keys = keys[1] ?? given.keys
  await objectsOf(rotating).page('', {})
  expect(reads).toBe(2)
  given.server.keys = { accessKeyId: 'other', secretAccessKey: 'other' }
  expect(await refusalOf(objectsOf(rotating).page('', {}))).toMatchObject({ code: 'unavailable', status: 403 })
  expect(reads).toBe(3)
})

test('no failure tells of keys', async () => {
  const wrong = connect({ keys: async () => ({ ...given.keys, secretAccessKey: 'THE-SECRET' }) })
  const refusal = (await refusalOf(objectsOf(wrong).page('', {}))) as S3Refusal
  expect(refusal.word).toBe('SignatureDoesNotMatch')
  const told = `${refusal.stack} ${refusal.message} ${Bun.inspect(refusal)}`
  expect([told.includes('THE-SECRET'), told.includes(given.keys.accessKeyId)]).toEqual([false, false])
})

test('a server that is silent is not waited for', async () => {
  const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const place = { ...given.place, endpoint: `http://127.0.0.1:${silent.port}` }
  const impatient = connect({ place, patience: 20, tries: 2 })
  expect(await refusalOf(objectsOf(impatient).head('a'))).toMatchObject({ code: 'unavailable', word: 'no answer' })
  silent.stop(true)
})

test('no more calls are under way than there may be', async () => {
  let most = 0
  let now = 0
  const slow = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch() {
      now += 1
      most = Math.max(most, now)
      await Bun.sleep(5)
      now -= 1
      return new Response(null, { headers: { etag: '"x"' } })
    },
  })
  const narrow = connect({ place: { ...given.place, endpoint: slow.url.origin }, connections: 3 })
  await Promise.all(Array.from({ length: 20 }, (_, at) => objectsOf(narrow).head(`a${at}`)))
  expect(most).toBe(3)
  slow.stop(true)
})

test('the bucket is a part of the path, or of the host', async () => {
  const address = (isPathStyle: boolean) =>
    connect({ place: { ...given.place, endpoint: 'https://s3.example', isPathStyle } }).addressOf('a b', {}, 60)
  expect(await address(true)).toStartWith('https://s3.example/bucket/a%20b?X-Amz-Algorithm=')
  expect(await address(false)).toStartWith('https://bucket.s3.example/a%20b?X-Amz-Algorithm=')
})
