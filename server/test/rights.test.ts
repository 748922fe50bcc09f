import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FolderResource, type Grant, type Mount, type Resource, type Right, rightNames } from '@filestead/contract'
import { jsonIn, namesIn, statusOf } from './answers.ts'
import { startServer } from './server.ts'
import { tusOf } from './tus.ts'

const photos = realpathSync(mkdtempSync(join(tmpdir(), 'filestead-photos-')))
const server = await startServer({ mountable: [tmpdir()] })
afterAll(async () => {
  await server.stop()
  rmSync(photos, { recursive: true, force: true })
})
await server.addUser('boss', { isAdmin: true })
await server.addUser('ann', { scope: '/home/ann' })
await server.addUser('weak', {
  scope: '/home/weak',
  lacks: ['download', 'create', 'modify', 'delete', 'share', 'rename'],
})
const [boss, ann, weak] = [await server.as('boss'), await server.as('ann'), await server.as('weak')]
const [annId, weakId] = [2, 3]
const second = await jsonIn<Mount>(
  boss('/api/mounts', { method: 'POST', body: JSON.stringify({ name: 'Photos', folder: photos }) }),
)

const roots: Record<number, string> = { 1: server.root, [second.id]: photos }
/** The two mounts as ann sees them. */
const parts = [
  { part: '/Files', mount: 1 },
  { part: '/Photos', mount: second.id },
]

const grant = (mount: number, folder: string, rights: readonly Right[], subject = `user:${annId}`) =>
  jsonIn<Grant>(boss('/api/grants', { method: 'POST', body: JSON.stringify({ subject, mount, folder, rights }) }))

beforeEach(async () => {
  for (const { id } of await jsonIn<Grant[]>(boss('/api/grants'))) await boss(`/api/grants/${id}`, { method: 'DELETE' })
  for (const root of Object.values(roots)) {
    for (const folder of ['project', 'closed', 'home']) rmSync(join(root, folder), { recursive: true, force: true })
    mkdirSync(join(root, 'project/sub/deep'), { recursive: true })
    mkdirSync(join(root, 'closed'), { recursive: true })
    for (const name of ['a.txt', 'words.vtt', 'sub/b.txt', 'sub/deep/c.txt'])
      writeFileSync(join(root, 'project', name), name.endsWith('.vtt') ? 'WEBVTT\n' : name)
    writeFileSync(join(root, 'closed/secret.txt'), 'CANARY')
  }
  server.put({ 'home/ann/own.txt': 'own', 'home/ann/box/x.txt': 'x', 'home/weak/': '' })
})

const send = (method: string, path: string, body?: string) =>
  statusOf(ann(`/api/resources${path}`, { method, ...(body !== undefined && { body }) }))
const transfer = (action: 'copy' | 'rename', from: string, to: string, more = '') =>
  statusOf(
    ann(`/api/resources${from}?action=${action}&destination=${encodeURIComponent(to)}${more}`, { method: 'PATCH' }),
  )

async function upload(path: string): Promise<number> {
  const tus = tusOf(ann)
  const created = await statusOf(tus.create(path, 3))
  return created === 201 ? statusOf(tus.append(path, 0, 'abc')) : created
}

interface Verb {
  verb: string
  /** At the folder. */
  needs: Right[]
  run(folder: string): Promise<number>
  done: number
}

const verbs: Verb[] = [
  { verb: 'reading a file', needs: ['download'], run: (at) => statusOf(ann(`/api/raw${at}/a.txt`)), done: 200 },
  { verb: 'packing a folder', needs: ['download'], run: (at) => statusOf(ann(`/api/raw${at}`)), done: 200 },
  {
    verb: 'packing names of a folder',
    needs: ['download'],
    run: (at) => statusOf(ann(`/api/raw${at}?files=a.txt,sub`)),
    done: 200,
  },
  {
    verb: 'a checksum',
    needs: ['download'],
    run: (at) => statusOf(ann(`/api/resources${at}/a.txt?checksum=md5`)),
    done: 200,
  },
  { verb: 'subtitles', needs: ['download'], run: (at) => statusOf(ann(`/api/subtitle${at}/words.vtt`)), done: 200 },
  { verb: 'saving', needs: ['change'], run: (at) => send('PUT', `${at}/a.txt`, 'new'), done: 200 },
  { verb: 'a new file', needs: ['create'], run: (at) => send('POST', `${at}/new.txt`, 'new'), done: 200 },
  { verb: 'a new file in a new folder', needs: ['create'], run: (at) => send('POST', `${at}/n/n.txt`, 'n'), done: 200 },
  { verb: 'a new folder', needs: ['create'], run: (at) => send('POST', `${at}/new/`), done: 200 },
  { verb: 'an upload', needs: ['create'], run: (at) => upload(`${at}/up.bin`), done: 204 },
  {
    verb: 'a new version by an upload',
    needs: ['change'],
    run: (at) => send('POST', `${at}/a.txt?override=true`, 'new'),
    done: 200,
  },
  { verb: 'removing a folder', needs: ['delete'], run: (at) => send('DELETE', `${at}/sub`), done: 204 },
  { verb: 'removing a file', needs: ['delete'], run: (at) => send('DELETE', `${at}/a.txt`), done: 204 },
  {
    verb: 'renaming in a folder',
    needs: ['change'],
    run: (at) => transfer('rename', `${at}/a.txt`, `${at}/b.txt`),
    done: 200,
  },
  {
    verb: 'moving a folder away',
    needs: ['delete'],
    run: (at) => transfer('rename', `${at}/sub`, '/Home/sub'),
    done: 200,
  },
  {
    verb: 'moving something in',
    needs: ['create'],
    run: (at) => transfer('rename', '/Home/box', `${at}/box`),
    done: 200,
  },
  { verb: 'copying a folder', needs: ['download'], run: (at) => transfer('copy', `${at}/sub`, '/Home/sub'), done: 200 },
  {
    verb: 'copying something in',
    needs: ['create'],
    run: (at) => transfer('copy', '/Home/box', `${at}/box`),
    done: 200,
  },
  {
    verb: 'moving to another folder of the same part',
    needs: ['delete', 'create'],
    run: (at) => transfer('rename', `${at}/a.txt`, `${at}/sub/a.txt`),
    done: 200,
  },
  {
    verb: 'a link',
    needs: ['share'],
    run: (at) => statusOf(ann(`/api/share${at}/a.txt`, { method: 'POST', body: '{}' })),
    done: 200,
  },
]

/** All rights that can be given without this one: some include others. */
function without(right: Right): Right[] {
  const including: Partial<Record<Right, Right[]>> = { download: ['share'] }
  return rightNames.filter((other) => other !== right && !including[right]?.includes(other))
}

describe.each(parts)('in $part', ({ part, mount }) => {
  const folder = `${part}/project`

  test.each(verbs)('$verb needs $needs', async ({ needs, run, done }) => {
    for (const lacking of needs) {
      await grant(mount, '/project', without(lacking))
      expect([`without ${lacking}`, await run(folder)]).toEqual([`without ${lacking}`, 403])
    }
    await grant(mount, '/project', needs)
    expect(await run(folder)).toBe(done)
  })

  test('what is moved to another folder is whole there, and gone here', async () => {
    await grant(mount, '/project', rightNames)
    expect(await transfer('rename', `${folder}/sub`, '/Home/sub')).toBe(200)
    expect(server.file('home/ann/sub/deep/c.txt')).toBe('sub/deep/c.txt')
    expect(existsSync(join(roots[mount] ?? '', 'project/sub'))).toBe(false)
    expect(await transfer('copy', '/Home/sub', `${folder}/copy`)).toBe(200)
    expect(readFileSync(join(roots[mount] ?? '', 'project/copy/deep/c.txt'), 'utf8')).toBe('sub/deep/c.txt')
  })

  test('a folder is not moved, copied or removed as a whole where a folder in it allows less', async () => {
    await grant(mount, '/project', rightNames)
    await grant(mount, '/project/sub/deep', ['see', 'create'])
    expect(await send('DELETE', `${folder}/sub`)).toBe(403)
    expect(await transfer('rename', `${folder}/sub`, `${folder}/other`)).toBe(403)
    expect(await transfer('rename', `${folder}/sub`, '/Home/sub')).toBe(403)
    expect(await transfer('copy', `${folder}/sub`, '/Home/sub')).toBe(403)
    expect(await send('DELETE', `${folder}/sub/deep`)).toBe(403)
    expect(await send('DELETE', `${folder}/sub/b.txt`)).toBe(204)
    // Nor does anything arrive where it could not be put by itself.
    server.put({ 'home/ann/sub/deep/new.txt': 'new', 'home/ann/sub/b.txt': 'b' })
    await grant(mount, '/project/sub/deep', ['see'])
    expect(await transfer('copy', '/Home/sub', `${folder}/sub`, '&override=true')).toBe(403)
    expect(existsSync(join(roots[mount] ?? '', 'project/sub/deep/new.txt'))).toBe(false)
  })

  test('a listing says what is allowed where that is not everything, and an entry where it differs', async () => {
    await grant(mount, '/project', ['download'])
    await grant(mount, '/project/sub', ['see'])
    const listed = await jsonIn<FolderResource>(ann(`/api/resources${folder}/`))
    expect(listed.can).toEqual(['see', 'download'])
    expect(listed.items.map(({ name, can }) => [name, can])).toEqual([
      ['sub', ['see']],
      ['a.txt', undefined],
      ['words.vtt', undefined],
    ])
    const file = await jsonIn<Resource>(ann(`/api/resources${folder}/sub/b.txt`))
    expect([file.can, file.content]).toEqual([['see'], undefined])
    expect((await jsonIn<Resource>(ann(`/api/resources${folder}/a.txt`))).content).toBe('a.txt')
    const named = await jsonIn<Resource[]>(
      ann(`/api/entries${folder}`, { method: 'POST', body: JSON.stringify({ names: ['sub', 'a.txt'] }) }),
    )
    expect(named.map(({ can }) => can)).toEqual([['see'], ['see', 'download']])
    const home = await jsonIn<FolderResource>(ann('/api/resources/Home/'))
    expect(['can' in home, home.items.some((item) => 'can' in item)]).toEqual([false, false])
  })

  test('an archive leaves out what may not be downloaded', async () => {
    await grant(mount, '/project', ['download'])
    await grant(mount, '/project/sub', ['see'])
    await grant(mount, '/project/sub/deep', ['download'])
    const tar = Buffer.from(await (await ann(`/api/raw${folder}?algo=tar`)).arrayBuffer()).toString('latin1')
    expect(['a.txt', 'sub/deep/c.txt', 'sub/b.txt'].map((name) => tar.includes(name))).toEqual([true, true, false])
  })

  test('a hidden place answers alike whether it exists or not, and shows up nowhere', async () => {
    await grant(mount, '/project/sub/deep', ['see'])
    for (const hidden of [`${part}/closed/secret.txt`, `${part}/closed/none.txt`, `${folder}/a.txt`, `${folder}/none`])
      for (const door of ['/api/resources', '/api/raw', '/api/preview/thumb', '/api/subtitle', '/api/media'])
        expect([hidden, await statusOf(ann(door + hidden))]).toEqual([hidden, 403])
    expect([await namesIn(ann, part), await namesIn(ann, folder), await namesIn(ann, `${folder}/sub`)]).toEqual([
      ...[mount === 1 ? ['home', 'project'] : ['project'], ['sub'], ['deep']],
    ])
    const found = await (await ann('/api/search/?query=txt')).text()
    expect([found.includes('c.txt'), found.includes('b.txt'), found.includes('secret')]).toEqual([true, false, false])
    const flat = await (await ann(`/api/resources${part}?recursive=true`)).text()
    expect([flat.includes('c.txt'), flat.includes('b.txt'), flat.includes('secret')]).toEqual([true, false, false])
  })

  test('a search from the top finds what is in the home once, and one in the mount finds it there', async () => {
    await grant(mount, '/project', ['see'])
    expect(await send('POST', '/Home/searched.txt', 'x')).toBe(200)
    const pathsIn = async (start: string) =>
      (await (await ann(`/api/search${start}?query=searched`)).text())
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { path: string }).path)
    expect(await pathsIn('/')).toEqual(['Home/searched.txt'])
    expect(await pathsIn(part)).toHaveLength(mount === 1 ? 1 : 0)
    expect(await pathsIn('/Home/')).toHaveLength(1)
  })

  test('a folder with the right to create alone takes files, and shows and replaces none', async () => {
    await grant(mount, '/project', ['create'])
    const { items, can } = await jsonIn<FolderResource>(ann(`/api/resources${folder}/`))
    expect([items, can]).toEqual([[], ['create']])
    expect(await send('POST', `${folder}/letter.txt`, 'dear')).toBe(200)
    expect(await upload(`${folder}/letter.bin`)).toBe(204)
    expect(await send('POST', `${folder}/letter.txt?override=true`, 'other')).toBe(403)
    expect([await send('GET', `${folder}/letter.txt`), await send('DELETE', `${folder}/letter.txt`)]).toEqual([
      403, 403,
    ])
    expect(readFileSync(join(roots[mount] ?? '', 'project/letter.txt'), 'utf8')).toBe('dear')
  })

  test('a symlink leads only where the grants allow it', async () => {
    await grant(mount, '/project', rightNames)
    symlinkSync('../closed', join(roots[mount] ?? '', 'project/link'))
    symlinkSync('../closed/secret.txt', join(roots[mount] ?? '', 'project/link.txt'))
    expect(await namesIn(ann, folder)).not.toContain('link')
    for (const path of ['link/secret.txt', 'link.txt', 'link'])
      expect([path, await statusOf(ann(`/api/raw${folder}/${path}`))]).toEqual([path, 403])
    expect(await send('PUT', `${folder}/link.txt`, 'x')).toBe(403)
    expect(await send('POST', `${folder}/link/new.txt`, 'x')).toBe(403)
    expect(await send('DELETE', `${folder}/link/secret.txt`)).toBe(403)
    await grant(mount, '/closed', ['see'])
    expect(await namesIn(ann, folder)).toContain('link')
    const target = await jsonIn<Resource>(ann(`/api/resources${folder}/link.txt`))
    expect([target.content, target.can]).toEqual([undefined, ['see']])
    expect(await statusOf(ann(`/api/raw${folder}/link.txt`))).toBe(403)
    await grant(mount, '/closed', ['download'])
    expect(await (await ann(`/api/raw${folder}/link.txt`)).text()).toBe('CANARY')
  })

  test('the permissions of an account limit what grants allow', async () => {
    await grant(mount, '/project', rightNames, `user:${weakId}`)
    const statuses = await Promise.all([
      statusOf(weak(`/api/resources${folder}/`)),
      statusOf(weak(`/api/raw${folder}/a.txt`)),
      statusOf(weak(`/api/resources${folder}/a.txt`, { method: 'PUT', body: 'x' })),
      statusOf(weak(`/api/resources${folder}/new.txt`, { method: 'POST', body: 'x' })),
      statusOf(weak(`/api/resources${folder}/a.txt`, { method: 'DELETE' })),
      statusOf(weak(`/api/resources${folder}/a.txt?action=rename&destination=${folder}/b.txt`, { method: 'PATCH' })),
      statusOf(weak(`/api/share${folder}/a.txt`, { method: 'POST', body: '{}' })),
    ])
    expect(statuses).toEqual([200, 202, 403, 403, 403, 403, 403])
  })
})

test('a symlink in the home leads to another part where the grants allow it', async () => {
  server.link('../../project', 'home/ann/link')
  await grant(second.id, '/project', ['see'])
  expect(await statusOf(ann('/api/raw/Home/link/a.txt'))).toBe(403)
  expect(await namesIn(ann, '/Home')).toEqual(['box', 'own.txt'])
  await grant(1, '/project', ['download'])
  expect(await (await ann('/api/raw/Home/link/a.txt')).text()).toBe('a.txt')
  expect(await namesIn(ann, '/Home')).toEqual(['box', 'link', 'own.txt'])
  expect(await send('PUT', '/Home/link/a.txt', 'x')).toBe(403)
})

test('at the top there are the parts and nothing else, and nothing is changed there', async () => {
  await grant(second.id, '/project', rightNames)
  const top = await jsonIn<FolderResource>(ann('/api/resources/'))
  expect([top.can, top.items.map(({ name, isDir, can }) => [name, isDir, can])]).toEqual([
    ['see'],
    [
      ['Home', true, ['see', 'download', 'create', 'share']],
      ['Photos', true, []],
    ],
  ])
  for (const path of ['/Files', '/Files/project/a.txt', '/None', '/home/ann', '/photos/project'])
    expect([path, await send('GET', path)]).toEqual([path, 404])
  expect(await send('POST', '/new.txt', 'x')).toBe(404)
  expect([await send('POST', '/new/'), await send('DELETE', '/Photos'), await send('DELETE', '/')]).toEqual([
    404, 403, 403,
  ])
  expect(await transfer('rename', '/Home', '/Photos/project/home')).toBe(403)
  expect(await transfer('copy', '/Photos', '/Home/photos')).toBe(403)
  expect(await transfer('rename', '/Home/own.txt', '/own.txt')).toBe(404)
  expect(await statusOf(ann('/api/usage/'))).toBe(200)
})

test('a home with a folder that is closed to its owner has no names before it while there is one part', async () => {
  const alone = await startServer()
  try {
    await alone.addUser('boss', { isAdmin: true })
    await alone.addUser('ann', { scope: '/home/ann' })
    alone.put({ 'home/ann/a.txt': 'a', 'home/ann/closed/b.txt': 'b' })
    const [admin, user] = [await alone.as('boss'), await alone.as('ann')]
    const before = await (await user('/api/resources/')).text()
    const body = JSON.stringify({ subject: 'everybody', mount: 1, folder: '/home/ann/closed', rights: [] })
    const { id } = await jsonIn<Grant>(admin('/api/grants', { method: 'POST', body }))
    expect(await namesIn(user, '/')).toEqual(['a.txt'])
    expect(await statusOf(user('/api/raw/closed/b.txt'))).toBe(403)
    expect(await statusOf(user('/api/resources/closed', { method: 'DELETE' }))).toBe(403)
    await admin(`/api/grants/${id}`, { method: 'DELETE' })
    expect(await (await user('/api/resources/')).text()).toBe(before)
  } finally {
    await alone.stop()
  }
})
