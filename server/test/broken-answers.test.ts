import { afterAll, beforeEach, expect, test } from 'bun:test'
import type { Entry, OpenFile, Storage } from '../src/storage/port.ts'
import { startServer } from './server.ts'

const broken = () => new Error('the disk broke')

/** A disk that breaks below /tree/b, in the middle of /long.txt, and at the entry n3000 of /large. */
const breaking = (storage: Storage): Storage => ({
  ...storage,
  names: async (folder, signal) => {
    if (folder === '/tree/b') throw broken()
    return storage.names(folder, signal)
  },
  async list(folder, signal) {
    if (folder === '/tree/b') throw broken()
    return storage.list(folder, signal)
  },
  async find(path, options) {
    if (path === '/tree/b') throw broken()
    const found = await storage.find(path, options)
    return path === '/long.txt' && found.file ? { ...found, file: breakingAfterAPiece(found.file) } : found
  },
  async describe(folder, named, signal) {
    const entries = await storage.describe(folder, named, signal)
    return folder === '/large' ? entries.map(unreadable) : entries
  },
})

const unreadable = (entry: Entry): Entry =>
  entry.name !== 'n3000'
    ? entry
    : Object.defineProperty(entry.with({}), 'mode', {
        get: () => {
          throw broken()
        },
      })

function breakingAfterAPiece(file: OpenFile): OpenFile {
  const slice = (start: number, end: number) =>
    start === 0 ? file.content.slice(start, end) : { arrayBuffer: () => Promise.reject(broken()) }
  return { ...file, content: { slice } as unknown as Blob }
}

const server = await startServer({ wrapStorage: breaking })
afterAll(() => server.stop())
await server.addUser('ann')
const ann = await server.as('ann')
server.put({
  'long.txt': 'a line of text\n'.repeat(20_000),
  'tree/a/found.txt': '',
  'tree/b/found.txt': '',
  ...Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`large/n${String(i).padStart(4, '0')}`, ''])),
})

beforeEach(() => {
  server.logged.length = 0
})

test.each(
  [
    ['a listing', '/api/resources/large/'],
    ['a text', '/api/resources/long.txt'],
    ['a flat list', '/api/resources/tree?recursive=true'],
    ['a search', '/api/search/tree?query=found'],
    ['an archive', '/api/raw/tree?algo=tar'],
  ].flatMap(([what = '', path = '']) =>
    ['identity', 'gzip', 'zstd'].map((encoding) => [what, encoding, path] as const),
  ),
)('%s (%s) that fails after its first byte is cut, and the log has the reason', async (_what, encoding, path) => {
  const taken = ann(path, { headers: { 'accept-encoding': encoding } }).then(async (response) => {
    expect(response.status).toBe(200)
    await response.arrayBuffer()
    return 'ended'
  })
  expect(await taken.catch(() => 'cut')).toBe('cut')
  const [line, ...others] = (server.logged as [object, string][]).filter(([, text]) => text?.includes('broke off'))
  expect(others).toEqual([])
  const facts = { method: 'GET', path: path.split('?')[0], address: '127.0.0.1', user: 'ann', err: broken() }
  expect(line).toEqual([expect.objectContaining(facts), 'The answer broke off'])
})

test('an answer that fails before its first byte becomes an error answer', async () => {
  expect((await ann('/api/resources/tree/b/')).status).toBe(500)
  expect(server.logged).toEqual([[expect.objectContaining({ status: 500, err: broken() }), 'Unexpected error']])
})
