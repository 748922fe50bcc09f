import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { Upload } from 'tus-js-client'
import { jsonIn, statusOf } from './answers.ts'
import { draftsBelow } from './disk.ts'
import { type OldClient, signInAsBefore, twice, userChange } from './old-client.ts'
import { password, startServer, type TestServer } from './server.ts'

let server: TestServer
let admin: OldClient
let ann: OldClient
beforeAll(async () => {
  server = await startServer({ disableExec: false })
  await server.addUser('admin', { isAdmin: true })
  await server.addUser('ann', { commands: ['echo', 'pwd'] })
  admin = await signInAsBefore(server.url, 'admin', password)
  ann = await signInAsBefore(server.url, 'ann', password)
})
afterAll(() => server.stop())

interface Listing {
  items: { name: string; path: string; isDir: boolean }[]
}

/** What the client reads in its token: the user, and when to sign out. */
const payloadOf = (token: string): { user: { id: number }; exp: number } =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

const namesIn = async (path: string) => (await jsonIn<Listing>(ann.ask(path))).items.map(({ name }) => name)

describe('A session', () => {
  test('is in the token, which the client reads and renews', async () => {
    const payload = () => payloadOf(ann.token)
    expect(payload().user).toMatchObject({ viewMode: 'mosaic', locale: 'en', hideDotfiles: false, singleClick: false })
    expect(Object.keys(payload().user)).toEqual(expect.arrayContaining(['id', 'perm', 'commands', 'lockPassword']))
    expect(payload().exp).toBeGreaterThan(Date.now() / 1000)
    const before = ann.token
    await ann.renew()
    expect(ann.token.split('.')).toHaveLength(3)
    expect(await statusOf(ann.ask('/api/resources/'))).toBe(200)
    // A request that was on its way with the old token is still answered.
    expect(await statusOf(ann.ask('/api/resources/', { headers: { 'X-Auth': before } }))).toBe(200)
  })

  test('is renewed when an answer asks for it, by several requests at once, and then asks no more', async () => {
    await server.addUser('renewer')
    const renewer = await signInAsBefore(server.url, 'renewer', password)
    const { user } = payloadOf(renewer.token)
    const hint = async () => (await renewer.ask('/api/resources/')).headers.get('x-renew-token')
    expect(await hint()).toBeNull()
    server.clock.now += 1
    const change = (which: string, data: object, current = '') =>
      renewer.ask(`/api/users/${user.id}`, { method: 'PUT', body: userChange([which], { ...user, ...data }, current) })
    expect(await statusOf(change('locale', { locale: 'de' }))).toBe(200)
    expect(await hint()).toBe('true')
    await Promise.all([renewer.renew(), renewer.renew(), renewer.renew()])
    expect(await hint()).toBeNull()
    expect(payloadOf(renewer.token).user).toMatchObject({ id: user.id, locale: 'de' })
    // Whoever changes the own password stays signed in.
    server.clock.now += 1
    expect(await statusOf(change('password', { password: 'quite another password' }, password))).toBe(200)
    expect(await hint()).toBe('true')
    await renewer.renew()
    expect(await hint()).toBeNull()
  })

  test('ends with its account, without a word of renewing', async () => {
    await server.addUser('leaver')
    const leaver = await signInAsBefore(server.url, 'leaver', password)
    const { user } = payloadOf(leaver.token)
    // So late that every answer asks to renew: the client would do that first, and fail.
    server.clock.now += 3700
    expect((await leaver.ask('/api/resources/')).headers.get('x-renew-token')).toBe('true')
    const body = JSON.stringify({ current_password: password })
    const removed = await leaver.ask(`/api/users/${user.id}`, { method: 'DELETE', body })
    expect([removed.status, removed.headers.get('x-renew-token')]).toEqual([200, 'false'])
    expect(await statusOf(leaver.ask('/api/resources/'))).toBe(401)
    server.clock.now -= 3700
  })

  test('that is none is told by 401, and wrong credentials by 403', async () => {
    expect(await statusOf(ann.ask('/api/resources/', { headers: { 'X-Auth': 'a.b.c', cookie: '' } }))).toBe(401)
    await expect(signInAsBefore(server.url, 'ann', 'wrong')).rejects.toThrow('403')
    await expect(signInAsBefore(server.url, '', '')).rejects.toThrow('403')
  })

  test('begins on a page that carries the settings', async () => {
    const page = await (await fetch(`${server.url}/files/`)).text()
    const settings = JSON.parse(/window\.FileBrowser = (\{.*?\});?\s*<\/script>/s.exec(page)?.[1] ?? '{}')
    expect(settings).toMatchObject({ BaseURL: '', StaticURL: '/static', AuthMethod: 'json', LoginPage: true })
    expect(settings.TusSettings).toEqual({ chunkSize: 10_485_760, retryCount: 5 })
    const flags = ['DisableExternal', 'DisableUsedPercentage', 'EnableExec', 'EnableThumbs', 'HideLoginButton']
    for (const flag of [...flags, 'NoAuth', 'ReCaptcha', 'ResizePreview', 'Signup'])
      expect(settings[flag]).toBeBoolean()
    for (const text of ['Color', 'LogoutPage', 'Name', 'Theme', 'Version']) expect(settings[text]).toBeString()
    expect(await statusOf(fetch(`${server.url}${settings.StaticURL}/img/logo.svg`))).toBe(200)
  })
})

const namesThatHurt = [
  ...[
    '100%',
    '50%25',
    '%2F',
    'a+b',
    'a b ',
    'q?x',
    'h#x',
    'a&b=c',
    'c,d;e',
    "(p)'*!",
    '[x]{y}',
    'pi|pe^`',
    'back\\slash',
  ],
  ...['"quote"', '<b>', '..x', 'u\u0308 decomposed', '\u65e5\u672c \u{1f600}', 'new\nline'],
]

/** The names of uploads are encoded further than others, but for three signs that are not. */
const asUploaded = (name: string): string =>
  encodeURIComponent(name)
    .replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%(?:7C|60|5E)/g, decodeURIComponent)

describe('Files', () => {
  test('are made, listed, opened, saved and deleted', async () => {
    expect(await statusOf(ann.ask('/api/resources/docs/?override=false', { method: 'POST' }))).toBe(200)
    expect(await statusOf(ann.ask('/api/resources/docs/new%20file.md?override=false', { method: 'POST' }))).toBe(200)
    expect(await namesIn('/api/resources/docs/')).toEqual(['new file.md'])
    const save = await ann.ask('/api/resources/docs/new%20file.md', { method: 'PUT', body: '# Title' })
    expect([save.status, await save.text()]).toEqual([200, '200 OK\n'])
    const opened = await ann.ask('/api/resources/docs/new%20file.md', { headers: { 'X-Encoding': 'false' } })
    expect(await opened.json()).toMatchObject({ type: 'text', content: '# Title', name: 'new file.md' })
    expect(await statusOf(ann.ask('/api/resources/docs/new%20file.md?override=false', { method: 'POST' }))).toBe(409)
    expect(await statusOf(ann.ask('/api/resources/docs/new%20file.md', { method: 'DELETE' }))).toBe(204)
    expect(await namesIn('/api/resources/docs/')).toEqual([])
  })

  test('with a table are asked for as they are', async () => {
    const latin = Buffer.from('name;caf\xe9\n', 'latin1')
    server.put({ 'table.csv': latin })
    const response = await ann.ask('/api/resources/table.csv', { headers: { 'X-Encoding': 'true' } })
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(Buffer.from(await response.bytes())).toEqual(latin)
    server.put({ 'folder.csv/in.txt': '' })
    const folder = await ann.ask('/api/resources/folder.csv/', { headers: { 'X-Encoding': 'true' } })
    expect(folder.headers.get('content-type')).toContain('application/json')
  })

  test('are checked for conflicts before they are uploaded', async () => {
    server.put({ 'check/a.txt': '1', 'check/sub/b.txt': '22' })
    const found = await jsonIn<Record<string, unknown>[]>(ann.ask('/api/resources/recursive/check/'))
    expect(found.map(({ path, size, isDir }) => [path, size, isDir])).toEqual([
      ['/check/a.txt', 1, false],
      ['/check/sub', expect.any(Number), true],
      ['/check/sub/b.txt', 2, false],
    ])
  })

  test('are moved and copied to a destination that is encoded twice', async () => {
    const name = "100% a+b (1) 'ü'.txt"
    server.put({ [`from/${name}`]: 'content' })
    const patch = (action: string, source: string, target: string, flags = 'override=false&rename=false') =>
      ann.ask(
        `/api/resources${source.split('/').map(encodeURIComponent).join('/')}?action=${action}&destination=${twice(target)}&${flags}`,
        {
          method: 'PATCH',
        },
      )
    expect(await statusOf(patch('copy', `/from/${name}`, `/to here/${name}`))).toBe(200)
    expect(readdirSync(join(server.root, 'to here'))).toEqual([name])
    expect(await statusOf(patch('rename', `/from/${name}`, `/to here/${name}`))).toBe(409)
    expect(await statusOf(patch('copy', `/from/${name}`, `/to here/${name}`, 'override=false&rename=true'))).toBe(200)
    expect(readdirSync(join(server.root, 'to here')).sort()).toEqual([name, "100% a+b (1) 'ü'(1).txt"].sort())
    expect(await statusOf(patch('rename', `/from/${name}`, `/to here/${name}`, 'override=true&rename=false'))).toBe(200)
    expect(readdirSync(join(server.root, 'from'))).toEqual([])
  })

  test.each(namesThatHurt)('called %j are opened, copied, packed, uploaded and deleted', async (name) => {
    const once = encodeURIComponent(name)
    server.put({ [`hurt/${name}`]: 'x', 'hurt/other/': '' })
    // The client throws away an answer whose path is not the one it asked for.
    expect(await jsonIn<object>(ann.ask(`/api/resources/hurt/${once}`))).toMatchObject({ path: `/hurt/${name}`, name })
    const to = encodeURIComponent(`/hurt/other/${once}`)
    const copy = ann.ask(`/api/resources/hurt/${once}?action=copy&destination=${to}&override=false&rename=false`, {
      method: 'PATCH',
    })
    expect(await statusOf(copy)).toBe(200)
    expect(server.file(`hurt/other/${name}`)).toBe('x')
    const files = encodeURIComponent(`/hurt/${once},/hurt/other/`)
    const packed = Buffer.from(await (await ann.browse(`/api/raw/?files=${files}&algo=zip&`)).bytes())
    const entry = name.replaceAll('\\', '_')
    expect([packed.includes(entry), packed.includes(`other/${entry}`)]).toEqual([true, true])
    const created = await ann.ask(`/api/tus/hurt/up/${asUploaded(name)}?override=false`, {
      method: 'POST',
      headers: { 'Upload-Length': '1' },
    })
    const piece = { 'X-Auth': ann.token, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }
    const address = new URL(created.headers.get('location') ?? '', created.url)
    expect(await statusOf(fetch(address, { method: 'PATCH', body: 'u', headers: piece }))).toBe(204)
    expect(server.file(`hurt/up/${name}`)).toBe('u')
    expect(await statusOf(ann.ask(`/api/resources/hurt/${once}`, { method: 'DELETE' }))).toBe(204)
    expect(readdirSync(join(server.root, 'hurt'))).not.toContain(name)
  })

  test('and folders are addressed with a slash behind them', async () => {
    server.put({ 'slash/a b/in': '1', 'slash/note.txt': 'text' })
    const target = (name: string) => encodeURIComponent(`/slash/${encodeURIComponent(name)}`)
    const patch = (action: string, from: string, to: string) =>
      ann.ask(`/api/resources/slash/${from}/?action=${action}&destination=${target(to)}&override=false&rename=false`, {
        method: 'PATCH',
      })
    expect(await statusOf(patch('copy', 'a%20b', 'c d'))).toBe(200)
    expect(await statusOf(patch('rename', 'c%20d', 'C D'))).toBe(200)
    expect(readdirSync(join(server.root, 'slash')).sort()).toEqual(['C D', 'a b', 'note.txt'])
    expect(await statusOf(ann.ask('/api/resources/slash/C%20D/', { method: 'DELETE' }))).toBe(204)
    // A folder that is uploaded into is made again.
    expect(await statusOf(ann.ask('/api/resources/slash/a%20b/?override=false', { method: 'POST' }))).toBe(200)
    // The bar beside an open file asks for the disk behind that file.
    expect(await jsonIn<object>(ann.ask('/api/usage/slash/note.txt/'))).toEqual({ total: 0, used: 0 })
    expect(await jsonIn<object>(ann.ask('/api/resources/slash/note.txt/'))).toMatchObject({ path: '/slash/note.txt/' })
  })

  test('are named together with the folders before them', async () => {
    const named = (name: string) => `/api/resources/named/${encodeURIComponent(name)}`
    expect(await statusOf(ann.ask(`${named('new/er/note.txt')}?override=false`, { method: 'POST' }))).toBe(200)
    expect(await jsonIn<object>(ann.ask(named('new/er/note.txt')))).toMatchObject({ path: '/named/new/er/note.txt' })
    expect(await statusOf(ann.ask(`${named('other/folder')}/?override=false`, { method: 'POST' }))).toBe(200)
    const to = encodeURIComponent(`/named/${encodeURIComponent('old/note.txt')}`)
    const renaming = `${named('new/er/note.txt')}?action=rename&destination=${to}&override=false&rename=false`
    expect(await statusOf(ann.ask(renaming, { method: 'PATCH' }))).toBe(200)
    const made = readdirSync(join(server.root, 'named'), { recursive: true }).map(String)
    expect(made.sort()).toEqual(['new', 'new/er', 'old', 'old/note.txt', 'other', 'other/folder'])
  })

  test('are emptied by a save without a body', async () => {
    server.put({ 'emptied.txt': 'text' })
    expect(await statusOf(ann.ask('/api/resources/emptied.txt', { method: 'PUT' }))).toBe(200)
    expect(server.file('emptied.txt')).toBe('')
  })

  test('show their checksum, and the disk its use', async () => {
    server.put({ 'sum.txt': 'abc' })
    const { checksums } = await jsonIn<{ checksums: Record<string, string> }>(
      ann.ask('/api/resources/sum.txt?checksum=md5'),
    )
    expect(checksums).toEqual({ md5: '900150983cd24fb0d6963f7d28e17f72' })
    expect(await jsonIn<object>(ann.ask('/api/usage/'))).toEqual({
      total: expect.any(Number),
      used: expect.any(Number),
    })
  })

  test('are found line by line, blank lines aside', async () => {
    server.put({ 'hay/stack/Needle.txt': '', 'hay/needle/': '' })
    const text = await (await ann.ask(`/api/search/hay/?query=${encodeURIComponent('needle')}`)).text()
    const hits = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
    expect(hits).toEqual(
      expect.arrayContaining([
        { dir: true, path: 'needle' },
        { dir: false, path: 'stack/Needle.txt' },
      ]),
    )
    expect(hits).toHaveLength(2)
  })
})

describe('An upload', () => {
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

  test('goes by tus, whatever its size', async () => {
    const large = Buffer.alloc(350_000, 'x')
    await upload('/up/large%20one.bin', large).done
    await upload('/up/tiny', Buffer.from('x')).done
    await upload('/up/empty', Buffer.alloc(0)).done
    expect(readFileSync(join(server.root, 'up/large one.bin')).equals(large)).toBe(true)
    expect([server.file('up/tiny'), server.file('up/empty')]).toEqual(['x', ''])
  })

  test('onto a file is refused, and replaces it with override', async () => {
    server.put({ 'up/old': 'old' })
    await expect(upload('/up/old', Buffer.from('new')).done).rejects.toThrow('409')
    expect(server.file('up/old')).toBe('old')
    await upload('/up/old', Buffer.from('new'), true).done
    expect(server.file('up/old')).toBe('new')
  })

  test('that is given up leaves nothing', async () => {
    const begun = Promise.withResolvers<void>()
    const { self } = upload('/up/never', Buffer.alloc(500_000))
    self.options.onChunkComplete = () => begun.resolve()
    await begun.promise
    await self.abort(true)
    expect(readdirSync(join(server.root, 'up'))).not.toContain('never')
    expect(draftsBelow(server.root)).toEqual([])
  })

  test('of a folder makes it from several sides at once', async () => {
    const make = (path: string) => statusOf(ann.ask(`/api/resources${path}?override=false`, { method: 'POST' }))
    const [outer, inner] = await Promise.all([
      make('/together/'),
      make('/together/in/'),
      ...[1, 2, 3, 4, 5].map((number) => upload(`/together/in/f%20${number}`, Buffer.alloc(250_000)).done),
    ])
    expect([outer, inner]).toEqual([200, 200])
    expect(readdirSync(join(server.root, 'together/in')).sort()).toEqual(['f 1', 'f 2', 'f 3', 'f 4', 'f 5'])
  })

  test('that was given up before its address was known can be begun again', async () => {
    const begin = () =>
      ann.ask('/api/tus/up/again?override=false', { method: 'POST', headers: { 'Upload-Length': '5' } })
    expect([(await begin()).status, (await begin()).status]).toEqual([201, 201])
    expect(await statusOf(ann.ask('/api/tus/up/again', { method: 'DELETE' }))).toBe(204)
  })

  test('may do without the words of the standard', async () => {
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

describe('What the browser asks for by itself', () => {
  test('comes with the cookie: files, ranges, archives of several', async () => {
    server.put({ 'raw/a,b c.txt': 'comma', 'raw/d.txt': 'D' })
    const file = await ann.browse('/api/raw/raw/d.txt?')
    expect([file.status, await file.text(), file.headers.get('content-type')]).toEqual([
      200,
      'D',
      'application/octet-stream',
    ])
    const part = await ann.browse('/api/raw/raw/a%2Cb%20c.txt?inline=true', { range: 'bytes=1-2' })
    expect([part.status, await part.text()]).toEqual([206, 'om'])
    const files = encodeURIComponent(['/raw/a,b c.txt', '/raw/d.txt'].map(encodeURIComponent).join(','))
    const archive = await ann.browse(`/api/raw/?files=${files}&algo=zip&`)
    const bytes = Buffer.from(await archive.bytes())
    expect([archive.status, bytes.includes('a,b c.txt'), bytes.includes('comma')]).toEqual([200, true, true])
    expect(await statusOf(ann.browse('/api/raw/raw?algo=tarzst&'))).toBe(200)
    expect(await statusOf(fetch(`${server.url}/api/raw/raw/d.txt`))).toBe(401)
  })

  test('are previews and subtitles', async () => {
    const picture = await sharp({ create: { width: 2000, height: 1000, channels: 3, background: '#396' } })
      .jpeg()
      .toBuffer()
    server.put({ 'pictures/p.jpg': picture, 'pictures/film.en.srt': '1\n00:00:01,000 --> 00:00:02,000\nHello\n' })
    for (const [size, width] of [
      ['thumb', 256],
      ['big', 1080],
    ] as const) {
      const response = await ann.browse(`/api/preview/${size}/pictures/p.jpg?inline=true&key=1700000000000`)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
      expect((await sharp(await response.bytes()).metadata()).width).toBe(width)
    }
    // TIFF is read by the client itself, which asks like any script; an image says what it can show.
    const scan = await sharp({ create: { width: 2000, height: 1000, channels: 3, background: '#c63' } })
      .toColourspace('rgb16')
      .tiff()
      .toBuffer()
    server.put({ 'pictures/scan.tif': scan })
    for (const [accept, format] of [
      ['*/*', 'tiff'],
      ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'jpeg'],
    ] as const) {
      const response = await ann.browse('/api/preview/big/pictures/scan.tif?inline=true&key=1', { accept })
      expect([response.headers.get('content-type'), response.headers.get('vary')]).toEqual([
        `image/${format}`,
        'Accept',
      ])
      const shown = sharp(await response.bytes())
      expect(await shown.metadata()).toMatchObject({ format, width: 1080, height: 540, channels: 3, depth: 'uchar' })
    }
    const subtitle = await ann.browse('/api/subtitle/pictures/film.en.srt?inline=true')
    expect([subtitle.headers.get('content-type'), (await subtitle.text()).startsWith('WEBVTT')]).toEqual([
      'text/vtt',
      true,
    ])
  })
})

describe('A share', () => {
  const secret = 'pass wörd+%'

  test('is made, shown, copied and deleted', async () => {
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

  test('asks a visitor for its password, which comes encoded, and answers with a token for links', async () => {
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

  test('of a file is downloaded by links of every age', async () => {
    server.put({ 'deep/er folder/one file.txt': 'one', 'deep/er folder/two.txt': 'two' })
    const made = await ann.ask('/api/share/deep/er%20folder/one%20file.txt', { method: 'POST', body: '{}' })
    const { hash, path } = (await made.json()) as { hash: string; path: string }
    expect(await jsonIn<object>(fetch(`${server.url}/api/public/share/${hash}`))).toMatchObject({ path: '' })
    const load = (rest: string) => fetch(`${server.url}/api/public/dl/${hash}${rest}`)
    // Until the middle of 2025 the link that was copied had the owner's path behind it.
    const whole = path.split('/').map(encodeURIComponent).join('/')
    for (const rest of ['', '?inline=true', whole, `${whole}?inline=true`])
      expect(await (await load(rest)).text()).toBe('one')
    for (const rest of ['/two.txt', '/deep/er%20folder/two.txt', `${whole}/x`])
      expect(await statusOf(load(rest))).toBe(404)
  })

  test('of a folder is shown whatever the token of its visitor, and downloaded by paths that are encoded whole', async () => {
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

describe('Settings', () => {
  test('of the server may leave out what is empty, and rules keep both of their texts', async () => {
    const settings = await jsonIn<{ commands: object }>(admin.ask('/api/settings'))
    const events = Object.keys(settings.commands)
    const rules = [{ allow: true, path: '/x', regex: false, regexp: { raw: '' } }]
    const put = (changes: object) =>
      admin.ask('/api/settings', { method: 'PUT', body: JSON.stringify({ ...settings, ...changes }) })
    expect(await statusOf(put({ commands: {}, rules }))).toBe(200)
    // The client joins the commands of every event, and opens the expression of a rule without looking.
    const saved = await jsonIn<{ commands: Record<string, string[]> }>(admin.ask('/api/settings'))
    expect(saved).toMatchObject({ rules, shell: [] })
    expect(Object.entries(saved.commands)).toEqual(events.map((event) => [event, []]))
    expect(await statusOf(put({}))).toBe(200)
  })

  test('of how folders are shown come with nothing but themselves', async () => {
    await server.addUser('viewer')
    const viewer = await signInAsBefore(server.url, 'viewer', password)
    const { id } = payloadOf(viewer.token).user
    const change = (which: string, value: unknown) =>
      viewer.ask(`/api/users/${id}`, { method: 'PUT', body: userChange([which], { id, [which]: value }, '') })
    for (const mode of ['mosaic', 'mosaic gallery', 'list']) {
      expect(await statusOf(change('viewMode', mode))).toBe(200)
      await viewer.renew()
      expect(payloadOf(viewer.token).user).toMatchObject({ viewMode: mode })
    }
    const sorting = { by: 'modified', asc: true }
    expect(await statusOf(change('sorting', sorting))).toBe(200)
    expect(await jsonIn<object>(viewer.ask('/api/resources/'))).toMatchObject({ sorting })
  })

  test('of the server are sent back as a whole', async () => {
    const settings = await jsonIn<{ branding: object; authMethod: string }>(admin.ask('/api/settings'))
    const changed = { ...settings, branding: { ...settings.branding, name: 'My files' } }
    const put = (body: object) => admin.ask('/api/settings', { method: 'PUT', body: JSON.stringify(body) })
    expect(await statusOf(put(changed))).toBe(200)
    expect(await (await fetch(`${server.url}/`)).text()).toContain('"Name":"My files"')
    expect(await statusOf(put(settings))).toBe(200)
    expect(await statusOf(ann.ask('/api/settings'))).toBe(403)
  })

  test('of a user are changed by name, with the whole user as data', async () => {
    const { id } = (await jsonIn<{ id: number; username: string }[]>(admin.ask('/api/users'))).find(
      ({ username }) => username === 'ann',
    ) as { id: number }
    const self = await jsonIn<object>(ann.ask(`/api/users/${id}`))
    const which = ['locale', 'hideDotfiles', 'singleClick', 'redirectAfterCopyMove', 'dateFormat', 'aceEditorTheme']
    const change = (names: string[], data: object, current: string, client = ann) =>
      client.ask(`/api/users/${id}`, { method: 'PUT', body: userChange(names, { ...self, ...data }, current) })
    expect(await statusOf(change(which, { locale: 'de', singleClick: true }, ''))).toBe(200)
    expect(await statusOf(change(['viewMode'], { viewMode: 'list' }, ''))).toBe(200)
    expect(await statusOf(change(['sorting'], { sorting: { by: 'size', asc: true } }, ''))).toBe(200)
    expect(await jsonIn<object>(ann.ask(`/api/users/${id}`))).toMatchObject({
      locale: 'de',
      singleClick: true,
      viewMode: 'list',
    })
    const wrong = await change(['password'], { password: 'a new long password' }, 'not it')
    expect([wrong.status, await wrong.text()]).toEqual([400, '400 Bad Request (the current password is incorrect)\n'])
    expect(await statusOf(change(['password'], { password: 'a new long password' }, password))).toBe(200)
    const again = await signInAsBefore(server.url, 'ann', 'a new long password')
    expect(await statusOf(again.ask('/api/resources/'))).toBe(200)
    // An administrator saves the whole form, with an empty field for a password that stays.
    expect(await statusOf(change(['all'], { password: '', locale: 'fr' }, password, admin))).toBe(200)
    expect(await jsonIn<object>(again.ask(`/api/users/${id}`))).toMatchObject({ locale: 'fr' })
    ann = await signInAsBefore(server.url, 'ann', 'a new long password')
  })

  test('make users and remove them', async () => {
    const { defaults } = await jsonIn<{ defaults: object }>(admin.ask('/api/settings'))
    const data = { ...defaults, id: 0, username: 'new', password: 'a long enough one', lockPassword: false, rules: [] }
    const made = await admin.ask('/api/users', { method: 'POST', body: userChange([], data, password) })
    expect(made.status).toBe(201)
    const id = /^\/settings\/users\/(\d+)$/.exec(made.headers.get('location') ?? '')?.[1]
    const body = JSON.stringify({ current_password: password })
    expect(await statusOf(admin.ask(`/api/users/${id}`, { method: 'DELETE', body }))).toBe(200)
    expect(await statusOf(admin.ask(`/api/users/${id}`))).toBe(404)
  })
})

test('Somebody who signs up is told what is wrong with the password', async () => {
  const settings = await jsonIn<object>(admin.ask('/api/settings'))
  const allow = (signup: boolean) =>
    admin.ask('/api/settings', { method: 'PUT', body: JSON.stringify({ ...settings, signup }) })
  expect(await statusOf(allow(true))).toBe(200)
  const signUp = (secret: string) =>
    fetch(`${server.url}/api/signup`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'newcomer', password: secret }),
    })
  const short = await signUp('short')
  // The client looks for the number in these words.
  expect([short.status, await short.text()]).toEqual([400, expect.stringMatching(/minimum length is 12\b/)])
  expect(await statusOf(signUp('a long enough one'))).toBe(200)
  expect(await statusOf(signUp('a long enough one'))).toBe(409)
  await signInAsBefore(server.url, 'newcomer', 'a long enough one')
  expect(await statusOf(allow(false))).toBe(200)
})

test('Below a base URL, uploads are told an address with it, and pages one without', async () => {
  const below = await startServer({ baseURL: '/fb' })
  try {
    await below.addUser('admin', { isAdmin: true })
    const client = await signInAsBefore(below.url, 'admin', password)
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

test('A command runs over a WebSocket that the cookie opens', async () => {
  server.put({ 'shell/': '' })
  const said = (command: string, headers: Record<string, string>) =>
    new Promise<string[]>((resolve) => {
      const lines: string[] = []
      const address = `${server.url.replace('http', 'ws')}/api/command/shell/`
      const socket = new WebSocket(address, { headers })
      socket.onopen = () => socket.send(command)
      socket.onmessage = ({ data }) => lines.push(String(data))
      socket.onclose = () => resolve(lines)
    })
  const headers = { cookie: `auth=${ann.token}`, origin: server.url }
  expect(await said('echo one two', headers)).toEqual(['one two'])
  expect(await said('pwd', headers)).toEqual([join(server.root, 'shell')])
  expect(await said('ls', headers)).toEqual(['Command not allowed.'])
  expect(await said('echo no', { origin: server.url })).toEqual([])
  expect(await said('echo no', { ...headers, origin: 'http://elsewhere.example' })).toEqual([])
})
