import { afterAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Upload } from 'tus-js-client'
import { statusOf } from './answers.ts'
import { draftsBelow } from './disk.ts'
import { signInAsFileBrowser, startServerWithClients, userChange } from './file-browser-client.ts'
import { password, startServer } from './server.ts'

const { server, ann } = await startServerWithClients()
afterAll(() => server.stop())

describe('An upload in a File Browser client', () => {
  const upload = (path: string, content: Buffer, override = false) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const self = new Upload(content, {
      endpoint: `${server.url}/api/tus${path}?override=${override}`,
      chunkSize: 100_000,
      retryDelays: [0, 10, 20, 40, 80],
      parallelUploads: 1,
      storeFingerprintForResuming: false,
      headers: { 'X-Auth': ann.token },
      onShouldRetry: (error) => (error.originalResponse?.getStatus() ?? 0) !== 409,
      onError: reject,
      onSuccess: () => resolve(),
    })
    self.start()
    return { self, done: promise }
  }

  test('uses tus for every size', async () => {
    const large = Buffer.alloc(350_000, 'x')
    await upload('/up/large%20one.bin', large).done
    await upload('/up/tiny', Buffer.from('x')).done
    await upload('/up/empty', Buffer.alloc(0)).done
    expect(readFileSync(join(server.root, 'up/large one.bin')).equals(large)).toBe(true)
    expect([server.file('up/tiny'), server.file('up/empty')]).toEqual(['x', ''])
  })

  test('onto an existing file is refused, and replaces it with override', async () => {
    server.put({ 'up/old': 'old' })
    await expect(upload('/up/old', Buffer.from('new')).done).rejects.toThrow('409')
    expect(server.file('up/old')).toBe('old')
    await upload('/up/old', Buffer.from('new'), true).done
    expect(server.file('up/old')).toBe('new')
  })

  test('that is cancelled leaves nothing', async () => {
    const begun = Promise.withResolvers<void>()
    const { self } = upload('/up/never', Buffer.alloc(500_000))
    self.options.onChunkComplete = () => begun.resolve()
    await begun.promise
    await self.abort(true)
    expect(readdirSync(join(server.root, 'up'))).not.toContain('never')
    expect(draftsBelow(server.root)).toEqual([])
  })

  test('of a folder creates it from several requests at once', async () => {
    const make = (path: string) => statusOf(ann.ask(`/api/resources${path}?override=false`, { method: 'POST' }))
    const [outer, inner] = await Promise.all([
      make('/together/'),
      make('/together/in/'),
      ...[1, 2, 3, 4, 5].map((number) => upload(`/together/in/f%20${number}`, Buffer.alloc(250_000)).done),
    ])
    expect([outer, inner]).toEqual([200, 200])
    expect(readdirSync(join(server.root, 'together/in')).sort()).toEqual(['f 1', 'f 2', 'f 3', 'f 4', 'f 5'])
  })

  test('that was cancelled before its address was known can be started again', async () => {
    const begin = () =>
      ann.ask('/api/tus/up/again?override=false', { method: 'POST', headers: { 'Upload-Length': '5' } })
    expect([(await begin()).status, (await begin()).status]).toEqual([201, 201])
    expect(await statusOf(ann.ask('/api/tus/up/again', { method: 'DELETE' }))).toBe(204)
  })

  test('works without the headers of the tus standard', async () => {
    const created = await ann.ask('/api/tus/up/bare?override=false', {
      method: 'POST',
      headers: { 'Upload-Length': '5' },
    })
    expect([created.status, created.headers.get('location')]).toEqual([201, '/api/tus/up/bare'])
    const piece = { 'Content-Type': 'application/offset+octet-stream' }
    const send = (offset: number, body: string) =>
      ann.ask('/api/tus/up/bare', { method: 'PATCH', body, headers: { ...piece, 'Upload-Offset': String(offset) } })
    expect((await send(0, 'ab')).headers.get('upload-offset')).toBe('2')
    const head = await ann.ask('/api/tus/up/bare', { method: 'HEAD' })
    expect([head.headers.get('upload-offset'), head.headers.get('upload-length')]).toEqual(['2', '5'])
    expect((await send(2, 'cde')).status).toBe(204)
    expect(server.file('up/bare')).toBe('abcde')
  })
})

test('Below a base URL, uploads get an address with it, and pages one without', async () => {
  const below = await startServer({ baseURL: '/fb' })
  try {
    await below.addUser('admin', { isAdmin: true })
    const client = await signInAsFileBrowser(below.url, 'admin', password)
    const page = await (await fetch(`${below.url}/files/`)).text()
    expect(page).toContain('"BaseURL":"/fb"')
    expect(page).toContain('"StaticURL":"/fb/static"')
    const created = await client.ask('/api/tus/a%20b', { method: 'POST', headers: { 'Upload-Length': '1' } })
    expect(created.headers.get('location')).toBe('/fb/api/tus/a%20b')
    const data = { username: 'new', password: 'a long enough one', scope: '/', perm: {} }
    const made = await client.ask('/api/users', { method: 'POST', body: userChange([], data, password) })
    expect(made.headers.get('location')).toMatch(/^\/settings\/users\/\d+$/)
  } finally {
    await below.stop()
  }
})
