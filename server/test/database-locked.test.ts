import { Database as Sqlite } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { type Ask, password, startServer, type TestServer } from './server.ts'

setDefaultTimeout(120_000)

/** A program that keeps the lock for writing as long as `work` takes, or until it is released. */
async function whileLocked(
  options: { lockTimeout: number },
  work: (server: TestServer, ann: Ask, release: () => void) => Promise<void>,
): Promise<void> {
  const server = await startServer(options)
  await server.addUser('ann')
  const ann = await server.as('ann')
  server.put({ 'note.txt': 'note', 'box/in.txt': 'in' })
  const other = new Sqlite(join(server.root, '../filestead.db'))
  other.run('begin immediate')
  try {
    await work(server, ann, () => void other.run('rollback'))
  } finally {
    other.close()
    await server.stop()
  }
}

test('a save that waits for a lock of another program delays no other request', () =>
  whileLocked({ lockTimeout: 30_000 }, async (server, ann, release) => {
    const order: string[] = []
    const note = async (what: string, asking: Promise<Response>) => {
      const { status } = await asking
      order.push(`${what} ${status}`)
    }
    const saving = note('save', ann('/api/resources/new.txt', { method: 'POST', body: 'new' }))
    await note('health', server.ask('/health'))
    server.clock.now += 3600
    await note('list', ann('/api/resources/'))
    await note('shares', ann('/api/shares'))
    await note('health', server.ask('/health'))
    expect(order).toEqual(['health 200', 'list 200', 'shares 200', 'health 200'])
    release()
    await saving
    expect(order.at(-1)).toBe('save 200')
    expect(server.file('new.txt')).toBe('new')
  }))

test('a lock held too long refuses a save with 503, while delete and sign-in work', () =>
  whileLocked({ lockTimeout: 200 }, async (server, ann, release) => {
    const save = () => ann('/api/resources/note.txt', { method: 'PUT', body: 'changed' })
    const refused = await save()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(server.file('note.txt')).toBe('note')
    expect((await ann('/api/resources/box', { method: 'DELETE' })).status).toBe(204)
    const body = JSON.stringify({ username: 'ann', password })
    const token = await (await server.ask('/api/login', { method: 'POST', body })).text()
    const again: Ask = (path) => server.ask(path, { headers: { 'x-auth': token } })
    expect((await again('/api/resources/')).status).toBe(200)
    release()
    expect((await save()).status).toBe(200)
    server.clock.now += 60
    expect((await again('/api/resources/')).status).toBe(200)
  }))
