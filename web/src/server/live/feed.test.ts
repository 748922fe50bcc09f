import { afterEach, expect, test } from 'bun:test'

const storage = { getItem: () => null, setItem() {}, removeItem() {} }
Object.assign(globalThis, { window: new EventTarget(), localStorage: storage, sessionStorage: storage })
globalThis.addEventListener ??= () => {}
globalThis.removeEventListener ??= () => {}
const { openFeed } = await import('./feed.ts')

/** One connection that the server was asked for. */
interface Asked {
  folders: string[]
  last: string | null
  isOver: boolean
  send(text: string): void
  /** The server ends it, or the line breaks. */
  end(): void
  break(): void
}

const asked: Asked[] = []
/** What the next connection is refused with. */
let refusal: Response | null = null
let isWell = true

globalThis.fetch = Object.assign(
  async (address: string | URL | Request, init?: RequestInit) => {
    const { pathname, searchParams } = new URL(String(address), 'http://server')
    if (pathname === '/health') return new Response('', { status: isWell ? 200 : 503 })
    const stream = new TransformStream<Uint8Array, Uint8Array>()
    const writer = stream.writable.getWriter()
    writer.closed.catch(() => {})
    const connection: Asked = {
      folders: searchParams.getAll('folder'),
      last: new Headers(init?.headers).get('Last-Event-ID'),
      isOver: false,
      send: (text) => void writer.write(new TextEncoder().encode(text)).catch(() => {}),
      end: () => void writer.close().catch(() => {}),
      break: () => void writer.abort(new Error('broken')).catch(() => {}),
    }
    init?.signal?.addEventListener('abort', () => {
      connection.isOver = true
      connection.break()
    })
    asked.push(connection)
    if (refusal !== null) return refusal
    return new Response(stream.readable)
  },
  { preconnect: () => {} },
)

let over = new AbortController()
afterEach(() => {
  over.abort()
  asked.length = 0
  refusal = null
  isWell = true
})

const times = { change: 10, firstPause: 4, longestPause: 40, refusedPause: 1e6 }

/** `patience` in milliseconds: a slow machine must not make a connection seem silent where that is not what is tested. */
function feed({ last = null as string | null, isHandover = false, patience = 1e6 } = {}) {
  over = new AbortController()
  const seen = { events: [] as string[], log: [] as string[], last }
  const opened = openFeed({
    signal: over.signal,
    last: () => seen.last,
    isHandover: () => isHandover,
    onEvent: ({ name }) => seen.events.push(name),
    onId: (id) => {
      seen.last = id
    },
    onConnected: (isContinued) => seen.log.push(isContinued ? 'continued' : 'connected'),
    onLost: () => seen.log.push('lost'),
    times: { ...times, hello: patience, silence: patience },
  })
  return { ...opened, seen }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(2)
}

/** The connection that was asked for as the nth. */
async function connection(number: number): Promise<Asked> {
  await until(() => asked.length >= number)
  return asked[number - 1] as Asked
}

const hello = 'id: 1-1\nevent: hello\ndata: {"folders":{}}\n\n'
const notice = (id: string) => `id: ${id}\nevent: notice\ndata: {"topic":"shares"}\n\n`

test('events arrive one by one, in pieces or together, and ids that come alone move on', async () => {
  const { follow, seen } = feed()
  follow(['/a b', '/ö'])
  const first = await connection(1)
  expect([first.folders, first.last]).toEqual([['/a b', '/ö'], null])
  first.send(hello.slice(0, 12))
  first.send(hello.slice(12) + notice('1-2') + notice('1-3').replaceAll('\n', '\r\n'))
  await until(() => seen.events.length === 3)
  expect([seen.events, seen.last, seen.log]).toEqual([['hello', 'notice', 'notice'], '1-3', ['connected']])
  first.send(':\nid: 1-9\n\n')
  await until(() => seen.last === '1-9')
  expect(seen.events.length).toBe(3)
})

test('for other folders a new connection is opened first, and the old one ends when it begins', async () => {
  const { follow, seen } = feed()
  follow(['/a'])
  const first = await connection(1)
  first.send(hello)
  await until(() => seen.events.length === 1)
  follow(['/a', '/b'])
  follow(['/a', '/c'])
  const second = await connection(2)
  expect([second.folders, second.last]).toEqual([['/a', '/c'], null])
  first.send(notice('1-2'))
  await until(() => seen.events.length === 2)
  expect(first.isOver).toBe(false)
  second.send(hello)
  await until(() => first.isOver)
  expect([asked.length, second.isOver, seen.log]).toEqual([2, false, ['connected', 'continued']])
})

test('a connection that breaks is opened again after the last event', async () => {
  const { follow, seen } = feed()
  follow([])
  const first = await connection(1)
  first.send(hello + notice('1-5'))
  await until(() => seen.events.length === 2)
  first.break()
  const second = await connection(2)
  expect(second.last).toBe('1-5')
  second.send(hello)
  await until(() => seen.log.length === 3)
  expect(seen.log).toEqual(['connected', 'lost', 'continued'])
  // Ended in order, as by a server that stops or a session that is over.
  second.end()
  expect((await connection(3)).last).toBe('1-1')
})

test('a connection that says nothing, at its beginning or later, is given up', async () => {
  const { follow, seen } = feed({ patience: 60 })
  follow([])
  const first = await connection(1)
  await until(() => first.isOver)
  // On a slow machine others may be given up as well, before one begins.
  await until(() => {
    asked.at(-1)?.send(hello)
    return seen.log.length === 1
  })
  const begun = asked.at(-1)
  await until(() => begun?.isOver === true && asked.at(-1) !== begun)
  expect(seen.log).toEqual(['connected', 'lost'])
})

test('a server that does not let this session listen is left alone', async () => {
  refusal = new Response('', { status: 403 })
  const { follow } = feed()
  follow([])
  await connection(1)
  await Bun.sleep(times.longestPause * 2)
  expect(asked.length).toBe(1)
})

test('a server that is away is not asked for events until it answers', async () => {
  const { follow, seen } = feed()
  follow([])
  const first = await connection(1)
  first.send(hello)
  await until(() => seen.log.length === 1)
  isWell = false
  first.break()
  await until(() => seen.log.includes('lost'))
  await Bun.sleep(times.longestPause / 2)
  expect(asked.length).toBe(1)
  isWell = true
  await connection(2)
})

test('while another tab still has a connection, nothing is asked for that it was told', async () => {
  const { follow, seen } = feed({ last: '1-7', isHandover: true })
  follow([])
  const first = await connection(1)
  first.send(hello)
  await until(() => seen.log.length === 1)
  expect([first.last, seen.log]).toEqual([null, ['continued']])
})

test('the end of the session ends the connection, and no other is opened', async () => {
  const { follow, seen } = feed()
  follow([])
  const first = await connection(1)
  first.send(hello)
  await until(() => seen.log.length === 1)
  over.abort()
  await until(() => first.isOver)
  follow(['/a'])
  await Bun.sleep(times.change * 3)
  expect(asked.length).toBe(1)
})
