import { afterAll, describe, expect, test } from 'bun:test'
import { jsonIn, statusOf } from './answers.ts'
import { type Listing, startServerWithClients } from './file-browser-client.ts'

const { server, ann } = await startServerWithClients()
afterAll(() => server.stop())

describe('A share in a File Browser client', () => {
  const secret = 'pass wörd+%'

  test('is created, listed, copied and deleted', async () => {
    server.put({ 'shared/a.txt': 'A' })
    const made = await ann.ask('/api/share/shared/?expires=2&unit=hours', {
      method: 'POST',
      body: JSON.stringify({ password: '', expires: '2', unit: 'hours' }),
    })
    const { hash, expire } = (await made.json()) as { hash: string; expire: number }
    expect(expire).toBe(server.clock.now + 7200)
    expect(await jsonIn<object[]>(ann.ask('/api/share/shared/'))).toMatchObject([{ hash }])
    expect(await jsonIn<object[]>(ann.ask('/api/shares'))).toMatchObject([{ hash, path: '/shared' }])
    expect(await statusOf(fetch(`${server.url}/api/public/share/${hash}`))).toBe(200)
    expect(await statusOf(ann.ask(`/api/share/${hash}`, { method: 'DELETE' }))).toBe(200)
    expect(await statusOf(fetch(`${server.url}/api/public/share/${hash}`))).toBe(404)
    const permanent = await ann.ask('/api/share/shared/', { method: 'POST', body: '{}' })
    expect(((await permanent.json()) as { expire: number }).expire).toBe(0)
  })

  test('asks a visitor for its encoded password and answers a token for links', async () => {
    server.put({ 'secret/a.txt': 'A', 'secret/sub/b c.txt': 'B' })
    const made = await ann.ask('/api/share/secret/', {
      method: 'POST',
      body: JSON.stringify({ password: secret, expires: '', unit: 'hours' }),
    })
    const { hash } = (await made.json()) as { hash: string }
    const open = (word: string, path = '') =>
      fetch(`${server.url}/api/public/share/${hash}${path}`, {
        headers: { 'X-SHARE-PASSWORD': encodeURIComponent(word) },
      })
    expect([(await open('')).status, (await open('wrong')).status]).toEqual([401, 401])
    const { token, items } = (await (await open(secret)).json()) as { token: string } & Listing
    expect(items.map(({ name }) => name)).toEqual(['sub', 'a.txt'])
    expect(((await (await open(secret, '/sub/')).json()) as Listing).items.map(({ name }) => name)).toEqual(['b c.txt'])
    const link = (rest: string) =>
      fetch(`${server.url}/api/public/dl/${hash}${rest}&token=${encodeURIComponent(token)}`)
    expect(await (await link('/sub/b%20c.txt?inline=true')).text()).toBe('B')
    const files = encodeURIComponent(['/a.txt', '/sub'].map(encodeURIComponent).join(','))
    expect(await statusOf(link(`/?files=${files}&algo=targz`))).toBe(200)
    expect(await statusOf(fetch(`${server.url}/api/public/dl/${hash}/a.txt?token=`))).toBe(401)
  })

  test('of a file is downloaded by the links of every version', async () => {
    server.put({ 'deep/er folder/one file.txt': 'one', 'deep/er folder/two.txt': 'two' })
    const made = await ann.ask('/api/share/deep/er%20folder/one%20file.txt', { method: 'POST', body: '{}' })
    const { hash, path } = (await made.json()) as { hash: string; path: string }
    expect(await jsonIn<object>(fetch(`${server.url}/api/public/share/${hash}`))).toMatchObject({ path: '' })
    const load = (rest: string) => fetch(`${server.url}/api/public/dl/${hash}${rest}`)
    // Until the middle of 2025 the link that was copied had the owner's path behind it.
    const whole = path.split('/').map(encodeURIComponent).join('/')
    for (const rest of ['', '?inline=true', whole, `${whole}?inline=true`])
      expect(await (await load(rest)).text()).toBe('one')
    // As in File Browser, a path behind a shared file is only a name and leads to no other file.
    for (const rest of ['/two.txt', '/deep/er%20folder/two.txt', `${whole}/x`])
      expect(await (await load(rest)).text()).toBe('one')
  })

  test('of a folder is shown with any token of a visitor, and downloaded by fully encoded paths', async () => {
    server.put({ 'album/a b/c+d%.txt': 'C', 'album/x.jpg': 'X' })
    const made = await ann.ask('/api/share/album/', { method: 'POST', body: '{}' })
    const { hash } = (await made.json()) as { hash: string }
    // A visitor has none, and one that is over must not look like a missing password.
    for (const token of ['', 'a.b.c'])
      expect(
        await statusOf(fetch(`${server.url}/api/public/share/${hash}/a%20b/`, { headers: { 'X-Auth': token } })),
      ).toBe(200)
    const load = (rest: string) => fetch(`${server.url}/api/public/dl/${hash}${rest}`)
    expect(await (await load(`${encodeURIComponent('/a b/c+d%.txt')}?`)).text()).toBe('C')
    expect(await (await load('/x.jpg?token=')).text()).toBe('X')
    const packed = await load(`${encodeURIComponent('/a b')}?algo=zip&`)
    expect(packed.headers.get('content-disposition')).toBe("attachment; filename*=utf-8''a%20b.zip")
    expect((await load('/')).headers.get('content-disposition')).toBe("attachment; filename*=utf-8''album.zip")
  })
})
