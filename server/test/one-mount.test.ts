import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { chmodSync, lutimesSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { treeOf } from './disk.ts'
import { type Ask, startServer } from './server.ts'
import { pieceType } from './tus.ts'

/**
 * An installation with one mount and no grants answers as it did before there were mounts: the answers are compared with
 * those of the last commit without them. FILESTEAD_RECORD=FILE writes the answers of this commit instead.
 */
const recorded = join(import.meta.dir, 'samples/one-mount.json')
const record = process.env.FILESTEAD_RECORD

const server = await startServer({ settings: { signup: false } })
afterAll(() => server.stop())

const [day, red] = [1_700_000_000, { width: 8, height: 6, channels: 3, background: '#c00' } as const]
server.put({
  'a.txt': 'hello\n',
  'box/in.txt': 'inside',
  'box/deep/er.txt': 'deeper',
  'box/deep/.dot': 'hidden',
  'box/picture.png': await sharp({ create: red }).png().toBuffer(),
  'film.mp4': 'no film',
  'film.srt': '1\n00:00:01,000 --> 00:00:02,000\nWords\n',
  'secret/key.pem': 'CANARY',
  'users/bob/own.txt': 'own',
  'users/bob/Home/inner.txt': 'a folder of that name',
  'Files/like-a-mount.txt': 'a folder of that name',
  'odd name (1) #ü.txt': 'odd',
  'big.bin': new Uint8Array(300_000),
  'empty/': '',
})
server.link('box/in.txt', 'link.txt')
server.link('box', 'door')
server.link('nowhere', 'broken')
server.link('../../box', 'users/bob/out')
for (const path of Object.keys(treeOf(server.root))) {
  const place = join(server.root, path)
  if (!['link.txt', 'door', 'broken', 'users/bob/out'].includes(path))
    chmodSync(place, path.endsWith('/') ? 0o755 : 0o644)
  lutimesSync(place, day, day)
}

const deny = (path: string) => ({ regex: false, allow: false, path, regexp: { raw: '' } })
await server.addUser('admin', { isAdmin: true })
await server.addUser('alice')
await server.addUser('bob', { scope: '/users/bob' })
await server.addUser('carol', { rules: [deny('/secret'), deny('/box/deep')], hideDotfiles: true })
await server.addUser('dave', { lacks: ['create', 'rename', 'modify', 'delete', 'share', 'download'] })
const asks: Record<string, Ask> = { nobody: server.ask }
for (const name of ['admin', 'alice', 'bob', 'carol', 'dave']) asks[name] = await server.as(name)

interface Recorded {
  readonly status: number
  readonly headers: string[]
  readonly body: string
}

/** What differs from run to run: times of now, names of versions, random texts. */
const seen = new Map<string, string>()
const plain = (text: string): string =>
  text
    .replaceAll(/"[\da-f]+(?:-[\da-z]+)*"/g, '"VERSION"')
    .replaceAll(/(?:W\/)?\\"[^"\\]*\\"/g, '"VERSION"')
    .replaceAll(/"modified":"(?!2023-11-14)[^"]*"/g, '"modified":"NOW"')
    .replaceAll(/"(created|changedAt|lastUse|total|used)":\d+/g, '"$1":0')
    // Of a folder it is what its file system says.
    .replaceAll(/"size":\d+(?=,(?:"extension":"[^"]*",)?"modified":"[^"]*",(?:"mode":\d+,)?"isDir":true)/g, '"size":0')
    .replaceAll(/"hash":"([^"]*)"/g, (_all, hash: string) => `"hash":"${nameOfHash(hash)}"`)
    .replaceAll(server.root, 'ROOT')

function nameOfHash(hash: string): string {
  const known = seen.get(hash) ?? `LINK${seen.size + 1}`
  seen.set(hash, known)
  return known
}

const changing = new Set(['date', 'etag', 'last-modified', 'x-renew-token', 'upload-expires', 'set-cookie'])
/** Short answers are sent as a whole or in pieces, as their parts happen to come. */
const framing = new Set(['content-length', 'transfer-encoding'])

/** The files of a batch are told as they are done. */
const isInAnyOrder = (address: string): boolean => address === '/api/uploads'

async function answerOf(response: Response, address: string): Promise<Recorded> {
  const bytes = Buffer.from(await response.arrayBuffer())
  const isText = /json|text/.test(response.headers.get('content-type') ?? '') && bytes.length < 20_000
  // A picture depends on the encoder, an archive of a link here on the time of its files.
  const isVague = response.ok && /^\/api\/(preview|public\/dl\/.*algo)/.test(address)
  const headers = [...response.headers].filter(([name]) => !((isText || isVague) && framing.has(name)))
  return {
    status: response.status,
    headers: headers.map(([name, value]) => `${name}: ${changing.has(name) ? 'CHANGES' : plain(value)}`).sort(),
    body: isVague
      ? String(bytes.length > 0)
      : isText
        ? plain(isInAnyOrder(address) ? bytes.toString().split('\n').sort().join('\n') : bytes.toString())
        : `${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`,
  }
}

const answers: Record<string, Recorded> = {}
/** One line for each, which a difference shows whole. */
const linesOf = (all: typeof answers): string =>
  `{\n${Object.entries(all)
    .map(([title, answer]) => `${JSON.stringify(title)}: ${JSON.stringify(answer)}`)
    .join(',\n')}\n}\n`

async function note(who: string, address: string, init: RequestInit = {}): Promise<Response> {
  const ask = asks[who] as Ask
  const response = await ask(address, init)
  const copy = response.clone() as Response
  const headers = Object.entries((init.headers ?? {}) as Record<string, string>).map(
    ([name, value]) => `${name}=${value}`,
  )
  const known = [...seen].reduce((text, [hash, name]) => text.replaceAll(hash, name), address)
  let title = [who, init.method ?? 'GET', known, ...headers].join(' ')
  while (title in answers) title += ' again'
  answers[title] = await answerOf(response, address)
  return copy
}

const readers = ['alice', 'bob', 'carol', 'dave', 'nobody']
const looks = [
  '/api/resources/',
  '/api/resources/box',
  '/api/resources/box/',
  '/api/resources/door',
  '/api/resources/a.txt',
  '/api/resources/link.txt',
  '/api/resources/broken',
  '/api/resources/out/',
  '/api/resources/own.txt',
  '/api/resources/Home/inner.txt',
  '/api/resources/Home',
  '/api/resources/Files',
  '/api/resources/secret',
  '/api/resources/secret/none',
  '/api/resources/none',
  '/api/resources/a.txt?checksum=sha256',
  '/api/resources/?recursive=true',
  '/api/resources/odd%20name%20(1)%20%23%C3%BC.txt',
  '/api/resources/film.mp4',
  '/api/folders/',
  '/api/folders/box',
  '/api/folder-size/',
  '/api/folder-size/box',
  '/api/search/?query=e',
  '/api/search/box?query=er&facts=true',
  '/api/raw/a.txt',
  '/api/raw/a.txt?inline=true',
  '/api/raw/box?algo=tar',
  '/api/raw/box?algo=zip',
  '/api/raw/?algo=tar',
  '/api/raw/secret/key.pem',
  '/api/raw/big.bin',
  '/api/raw/none',
  '/api/raw/?files=a.txt,box&algo=tar',
  '/api/preview/thumb/box/picture.png',
  '/api/preview/big/a.txt',
  '/api/subtitle/film.srt',
  '/api/shares',
  '/api/share/box',
  '/api/shared/',
  '/api/favourites',
  '/api/usage/',
  '/api/users',
  '/api/settings',
  '/api/users/3',
]

test('of one mount without grants every answer is what it was before there were mounts', async () => {
  for (const who of readers) for (const address of looks) await note(who, address)
  for (const who of readers) {
    await note(who, '/api/resources/a.txt', { method: 'HEAD' })
    await note(who, '/api/raw/a.txt', { headers: { range: 'bytes=1-3' } })
    await note(who, '/api/resources/a.txt', { headers: { 'x-encoding': 'true' } })
    await note(who, '/api/entries/', { method: 'POST', body: JSON.stringify({ names: ['a.txt', 'box', 'none'] }) })
    await note(who, '/api/raw/', { method: 'POST', body: new URLSearchParams({ files: 'a.txt', algo: 'tar' }) })
  }
  for (const address of ['/api/users', '/api/settings']) await note('admin', address)

  for (const who of readers) {
    const at = `/${who}-folder`
    await note(who, `/api/resources${at}/`, { method: 'POST' })
    await note(who, `/api/resources${at}/new.txt`, { method: 'POST', body: 'new' })
    await note(who, `/api/resources${at}/new.txt`, { method: 'POST', body: 'again' })
    await note(who, `/api/resources${at}/new.txt?override=true`, { method: 'POST', body: 'replaced' })
    await note(who, `/api/resources${at}/new.txt`, { method: 'PUT', body: 'saved' })
    await note(who, `/api/resources${at}/none.txt`, { method: 'PUT', body: 'saved' })
    await note(who, `/api/resources${at}/new.txt`, { method: 'PUT', body: 'saved', headers: { 'if-match': '"0"' } })
    await note(who, `/api/resources/?override=true`, { method: 'POST', body: 'x' })
    await note(who, '/api/uploads', {
      method: 'POST',
      body: `{"path":"${at}/batch.txt","length":4}\nmade{"path":"/secret/batch.txt","length":4}\nmade`,
    })
    await note(who, `/api/tus${at}/up.bin`, { method: 'POST', headers: { 'upload-length': '6' } })
    await note(who, `/api/tus${at}/up.bin`, { method: 'HEAD' })
    const piece = { 'content-type': pieceType, 'upload-offset': '0' }
    await note(who, `/api/tus${at}/up.bin`, { method: 'PATCH', body: 'abc', headers: piece })
    await note(who, `/api/tus${at}/up.bin`, {
      method: 'PATCH',
      body: 'def',
      headers: { ...piece, 'upload-offset': '3' },
    })
    await note(who, `/api/tus${at}/up.bin`, { method: 'HEAD' })
    for (const [action, from, to] of [
      ['copy', 'new.txt', `${at}/copied.txt`],
      ['copy', 'new.txt', `${at}/copied.txt`],
      ['rename', 'copied.txt', `${at}/moved.txt`],
      ['rename', 'moved.txt', '/secret/moved.txt'],
      ['rename', 'moved.txt', '/'],
      ['copy', 'none.txt', `${at}/nothing.txt`],
      ['fly', 'new.txt', `${at}/nothing.txt`],
    ])
      await note(who, `/api/resources${at}/${from}?action=${action}&destination=${encodeURIComponent(`${to}`)}`, {
        method: 'PATCH',
      })
    await note(who, `/api/favourites${at}`, { method: 'PUT' })
    await note(who, '/api/favourites/secret', { method: 'PUT' })
    await note(who, '/api/favourites')
    const link = await note(who, `/api/share${at}`, { method: 'POST', body: JSON.stringify({ label: 'a label' }) })
    if (link.ok) {
      const { hash } = (await link.json()) as { hash: string }
      for (const rest of ['', '/', '/new.txt', '/none.txt', '/../a.txt'])
        await note('nobody', `/api/public/share/${hash}${rest}`)
      for (const rest of ['/new.txt', '?algo=tar&files=new.txt', '/none.txt']) {
        await note('nobody', `/api/public/dl/${hash}${rest}`)
      }
      await note(who, '/api/shares')
      await note(who, '/api/shared/')
      await note(who, `/api/share/${hash}`, { method: 'DELETE' })
    }
    await note(who, `/api/resources${at}`, { method: 'DELETE' })
    await note(who, '/api/resources/', { method: 'DELETE' })
    await note(who, '/api/resources/secret/none', { method: 'DELETE' })
    await note(who, `/api/resources/none`, { method: 'DELETE' })
  }
  for (const method of ['GET', 'POST', 'DELETE']) await note('nobody', '/api/none', { method })

  if (record !== undefined) return writeFileSync(record, linesOf(answers))
  const expected = JSON.parse(readFileSync(recorded, 'utf8')) as Record<string, Recorded>
  expect(Object.keys(answers)).toEqual(Object.keys(expected))
  for (const [title, answer] of Object.entries(answers))
    expect([title, answer]).toEqual([title, expected[title] as Recorded])
  expect(JSON.stringify(answers)).not.toContain('\\"can\\"')
}, 120_000)
