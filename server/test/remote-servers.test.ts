import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AddressCheck, Mount } from '@filestead/contract'
import type { Database } from '../src/database/schema.ts'
import { hasSshd } from '../src/storage/sftp/sshd.fixture.ts'
import { jsonIn } from './answers.ts'
import { inDatabase, isOnPostgres } from './database.ts'
import { openEvents } from './event-stream.ts'
import { freePort } from './free-port.ts'
import { run, until } from './process.ts'
import { farBucket, farFolder, startFar } from './remote-world.ts'
import { startServer } from './server.ts'

/** What SQLite has written. */
function filesOf(database: string): string[] {
  const folder = dirname(database)
  const files = readdirSync(folder).filter(
    (name) => name.startsWith('filestead.db') && statSync(join(folder, name)).isFile(),
  )
  return files.map((name) => readFileSync(join(folder, name), 'latin1'))
}

const rowsIn = (database: string): Promise<string[]> =>
  inDatabase(database, async (db) => {
    const names = (await db.introspection.getTables()).map(({ name }) => name as keyof Database)
    return Promise.all(names.map(async (name) => JSON.stringify(await db.selectFrom(name).selectAll().execute())))
  })

type Asking = { ask(path: string, init?: RequestInit): Promise<Response> }

const mountFar = async ({ ask }: Asking): Promise<Mount | undefined> =>
  (await jsonIn<Mount[]>(ask('/api/mounts'))).find(({ name }) => name === 'Far')

const make = async ({ ask }: Asking, path: string, body: string | Uint8Array<ArrayBuffer>) =>
  expect((await ask(`/api/resources${path}`, { method: 'POST', body })).status).toBe(200)

test('a server that does not answer is away with a reason, keeps nothing else waiting, and comes back', async () => {
  const far = await farBucket()
  await using world = await startFar(far)
  await make(world, '/Far/a.txt', 'a')
  expect(await mountFar(world)).toMatchObject({ isAway: false, storage: 's3', folder: world.folder })
  far.server.server.fault = () => 'cut before'
  const refused = await world.ask('/api/resources/Far/')
  expect(refused.status).toBe(503)
  await until(async () => (await mountFar(world))?.isAway === true, 40_000)
  expect((await mountFar(world))?.problem).toBeString()
  expect((await world.ask('/api/resources/Files/')).status).toBe(200)
  const atOnce = await world.ask('/api/raw/Far/a.txt')
  expect([atOnce.status, atOnce.headers.get('retry-after')]).toEqual([503, '10'])
  far.server.server.fault = () => undefined
  await until(async () => (await mountFar(world))?.isAway === false, 40_000)
  expect(await (await world.ask('/api/raw/Far/a.txt')).text()).toBe('a')
}, 120_000)

test('keys are exchanged while the server runs', async () => {
  const far = await farBucket()
  await using world = await startFar(far)
  await make(world, '/Far/a.txt', 'a')
  far.server.server.keys = { accessKeyId: 'AKNEW', secretAccessKey: 'another secret' }
  writeFileSync(join(world.keysFolder, 'far'), 'ACCESS_KEY_ID=AKNEW\nSECRET_ACCESS_KEY=another secret\n')
  await until(async () => (await world.ask('/api/raw/Far/a.txt')).status === 200, 40_000)
}, 120_000)

test('no secret is in a row, a log, an answer or an error', async () => {
  const typed = 'typed-by-mistake'
  const far = await farBucket()
  await using world = await startFar(far)
  await make(world, '/Far/a.txt', 'a')
  const answers = [await (await world.ask('/api/mounts')).text(), await (await world.ask('/api/settings')).text()]
  far.server.server.keys = { accessKeyId: 'OTHER', secretAccessKey: 'x' }
  for (const path of ['/api/raw/Far/a.txt', '/api/resources/Far/']) answers.push(await (await world.ask(path)).text())
  const check = await world.ask('/api/mounts/check', {
    method: 'POST',
    body: JSON.stringify({ folder: world.folder, id: 2 }),
  })
  answers.push(await check.text())
  // Typed where it does not belong, it is refused, and forgotten.
  for (const mistaken of [
    `sftp://bob:${typed}@host/`,
    `s3+https://key:${typed}@a b/c`,
    `sftp://bob@host/?pw=${typed}`,
  ]) {
    const body = JSON.stringify({ folder: mistaken })
    answers.push(await (await world.ask('/api/mounts/check', { method: 'POST', body })).text())
  }
  const { stdout, stderr } = await world.program.terminate()
  const { stdout: doctor } = await run([
    'doctor',
    ...['-d', world.program.database, '-r', world.program.root, '--keysFolder', world.keysFolder],
  ])
  const texts = isOnPostgres ? await rowsIn(world.program.database) : filesOf(world.program.database)
  for (const text of [...answers, stdout, stderr, doctor, ...texts])
    for (const secret of [far.secret, typed]) expect(text.includes(secret)).toBe(false)
  expect(answers.join()).toContain('keys=far')
}, 120_000)

test('a large download is left to the bucket, with a browser that saves it and the rights of the account', async () => {
  const far = await farBucket()
  await using world = await startFar(far, { more: '&direct=1000' })
  await make(world, '/Far/large.bin', new Uint8Array(5000).fill(65))
  await make(world, '/Far/small.bin', 'small')
  const asBrowser = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const ask = (path: string, headers: Record<string, string> = asBrowser) => world.ask(path, { headers })
  const sent = await ask('/api/raw/Far/large.bin')
  expect([sent.status, sent.headers.get('cache-control')]).toEqual([302, 'no-store'])
  const fetched = await fetch(sent.headers.get('location') ?? '')
  expect([fetched.status, (await fetched.arrayBuffer()).byteLength]).toEqual([200, 5000])
  expect(fetched.headers.get('content-disposition')).toContain('large.bin')
  for (const [path, headers] of [
    ['/api/raw/Far/small.bin', asBrowser],
    ['/api/raw/Far/large.bin', {}],
    ['/api/raw/Far/large.bin?inline=true', asBrowser],
  ] as const)
    expect([path, (await ask(path, headers)).status]).toEqual([path, 200])
  expect((await ask('/api/raw/Far/large.bin', { ...asBrowser, range: 'bytes=0-3' })).status).toBe(206)
  await world.addUser('ann', '--perm.download=false', '--perm.share=false')
  const ann = await world.as('ann')
  const withheld = await ann('/api/raw/Far/large.bin', { headers: asBrowser })
  expect([withheld.status, withheld.headers.get('location'), await withheld.text()]).toEqual([
    202,
    null,
    expect.any(String),
  ])
  const { hash } = await jsonIn<{ hash: string }>(world.ask('/api/share/Far/large.bin', { method: 'POST', body: '{}' }))
  const shared = await fetch(`${world.program.url}/api/public/dl/${hash}`, { headers: asBrowser, redirect: 'manual' })
  expect(shared.status).toBe(302)
}, 120_000)

test('what others change in a bucket is told by looking', async () => {
  const far = await farBucket()
  await using world = await startFar(far)
  await make(world, '/Far/a.txt', 'a')
  await using events = await openEvents(world.ask, '?folder=/Far/')
  far.server.server.objects.delete('some/prefix/a.txt')
  await events.until('folder', ({ gone }) => gone.includes('a.txt'))
}, 120_000)

test('administrators add a bucket on the page after a check, and nothing else is read or asked', async () => {
  const far = await farBucket()
  const keysFolder = mkdtempSync(join(tmpdir(), 'filestead-keys-'))
  writeFileSync(join(keysFolder, 'far'), far.keys, { mode: 0o600 })
  await using server = await startServer({ keysFolder } as never)
  await server.addUser('admin', { isAdmin: true })
  await server.addUser('ann')
  const [admin, ann] = [await server.as('admin'), await server.as('ann')]
  const post = (path: string, body: object, ask = admin) => ask(path, { method: 'POST', body: JSON.stringify(body) })
  const check = async (folder: string) => jsonIn<AddressCheck>(post('/api/mounts/check', { folder }))
  const folder = `${far.address}keys=far`
  expect((await post('/api/mounts/check', { folder }, ann)).status).toBe(403)
  expect((await check(folder)).refusal).toBeUndefined()
  expect((await check(`${far.address}keys=none`)).refusal).toContain('cannot be read')
  expect((await check(`${far.address}keys=${keysFolder}/far`)).refusal).toContain('by their name')
  expect((await check(`s3+http://127.0.0.1:${await freePort()}/bucket?keys=far`)).refusal).toBeString()
  expect((await check('/etc')).refusal).toContain('no address')
  expect((await post('/api/mounts', { name: 'Old', folder: 'sftp://bob@localhost/' })).status).toBe(400)
  const added = await post('/api/mounts', { name: 'Far', folder })
  expect([added.status, await added.json()]).toMatchObject([201, { name: 'Far', storage: 's3', isAway: false, folder }])
  expect((await check(`${far.address}keys=far`)).refusal).toContain('already')
  expect(JSON.stringify(await (await ann('/api/mounts')).json())).not.toContain('keys=')
  rmSync(keysFolder, { recursive: true, force: true })
  far.stop()
}, 120_000)

test('with --remoteMounts=false no address is taken on the page', async () => {
  await using server = await startServer({ remoteMounts: false } as never)
  await server.addUser('admin', { isAdmin: true })
  const body = JSON.stringify({ name: 'Far', folder: 's3+http://127.0.0.1:1/bucket' })
  const refused = await (await server.as('admin'))('/api/mounts', { method: 'POST', body })
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('--remoteMounts')])
})

test('commands run in folders of the server alone, and hooks get the address of a file', async () => {
  const far = await farBucket()
  const keysFolder = mkdtempSync(join(tmpdir(), 'filestead-keys-'))
  writeFileSync(join(keysFolder, 'far'), far.keys, { mode: 0o600 })
  await using server = await startServer({ keysFolder, mount: `Far=${far.address}keys=far` } as never)
  const { mounts } = server.app.deps
  await mounts.all()
  await expect(mounts.openFolder('2:/', '/' as never)).rejects.toThrow('only in root folders on a disk')
  expect(await mounts.realPath('2:/a b/c.txt' as never)).toBe(`${far.address.slice(0, -1)}/a%20b/c.txt`)
  rmSync(keysFolder, { recursive: true, force: true })
  far.stop()
})

test.if(hasSshd)(
  `the key of a server is confirmed before it is a mount${hasSshd ? '' : ' (skipped: no sshd)'}`,
  async () => {
    const far = await farFolder()
    await using server = await startServer()
    await server.addUser('admin', { isAdmin: true })
    const admin = await server.as('admin')
    const [bare = '', query = ''] = far.address.split('?')
    const body = JSON.stringify({ folder: bare })
    const found = await jsonIn<AddressCheck>(admin('/api/mounts/check', { method: 'POST', body }))
    expect(query).toContain(found.hostKey ?? 'none')
    await far.stop()
  },
)
