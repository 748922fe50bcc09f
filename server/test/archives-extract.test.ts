import { afterAll, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { isOver, type Job, type JobChange } from '@filestead/contract'
import { paxOf, type TarFacts, tarOf, type ZipFacts, zipOf } from '../src/archives/reading/archives.fixture.ts'
import { jsonIn } from './answers.ts'
import { type Ask, startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('ann')
const ann = await server.as('ann')

const at = (path: string): string => join(server.root, path)

/** All below a folder, hidden names included; files with their content. */
function treeIn(path: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(at(path), { recursive: true, encoding: 'utf8' })) {
    const full = join(at(path), name)
    found[name] = statSync(full).isDirectory() ? '' : readFileSync(full, 'utf8')
  }
  return found
}

interface Wanted {
  to: string
  onConflict?: string
  inside?: string[]
  encoding?: string
}

const post = (archive: string, wanted: Wanted, ask: Ask = ann) =>
  ask('/api/jobs', { method: 'POST', body: JSON.stringify({ kind: 'extract', from: archive, ...wanted }) })

/** The job when it is over, or asks. */
async function extract(archive: string, wanted: Wanted, ask: Ask = ann): Promise<Job> {
  const answer = await post(archive, wanted, ask)
  expect([200, 202]).toContain(answer.status)
  return ended((await answer.json()) as Job, ask)
}

async function ended(begun: Job, ask: Ask = ann): Promise<Job> {
  let job = begun
  while (!isOver(job.state) && job.state !== 'asking' && job.state !== 'paused') {
    await Bun.sleep(20)
    job = await jsonIn<Job>(ask(`/api/jobs/${job.id}`))
  }
  return job
}

async function answerWith(job: Job, change: JobChange): Promise<Job> {
  await ann(`/api/jobs/${job.id}`, { method: 'PATCH', body: JSON.stringify(change) })
  let next = await jsonIn<Job>(ann(`/api/jobs/${job.id}`))
  while (next.state === 'asking') {
    await Bun.sleep(20)
    next = await jsonIn<Job>(ann(`/api/jobs/${job.id}`))
  }
  return ended(next)
}

const large = Buffer.from('a line of a large file that does not pack too well\n'.repeat(20_000))
const some: (ZipFacts & TarFacts)[] = [
  { name: 'a.txt', content: 'first' },
  { name: 'folder/', content: '', type: '5' },
  { name: 'folder/empty/', content: '', type: '5' },
  { name: 'folder/b.txt', content: 'second' },
  { name: 'folder/large.bin', content: large },
  { name: 'implied/deep/c.txt', content: '' },
]
const all = {
  'a.txt': 'first',
  folder: '',
  'folder/empty': '',
  'folder/b.txt': 'second',
  'folder/large.bin': large.toString(),
  implied: '',
  'implied/deep': '',
  'implied/deep/c.txt': '',
}

test.each([
  ['zip', zipOf(some)],
  ['tar', tarOf(some)],
  ['tar.gz', gzipSync(tarOf(some))],
])('a %s is extracted into a new folder', async (format, bytes) => {
  const name = format.replace('.', '-')
  server.put({ [`${name}.bin`]: bytes })
  const job = await extract(`/${name}.bin`, { to: `/out/${name}` })
  expect(job).toMatchObject({ state: 'done', failures: [], skipped: 0, done: { files: 4 }, to: `/out/${name}` })
  expect(treeIn(`out/${name}`)).toEqual(all)
  expect(readdirSync(at('out')).filter((each) => each.startsWith('.'))).toEqual([])
})

test('times are kept, of folders too', async () => {
  server.put({ 'times.tar': tarOf(some) })
  await extract('/times.tar', { to: '/times' })
  for (const path of ['a.txt', 'folder', 'folder/large.bin'])
    expect([path, statSync(at(`times/${path}`)).mtimeMs]).toEqual([path, 0o14000000000 * 1000])
})

test('an archive is extracted into the folder it lies in, also a root', async () => {
  server.put({ 'here.zip': zipOf([{ name: 'fresh/x.txt', content: 'x' }]), 'box/here.zip': zipOf(some) })
  expect((await extract('/here.zip', { to: '/' })).state).toBe('done')
  expect(server.file('fresh/x.txt')).toBe('x')
  expect((await extract('/box/here.zip', { to: '/box' })).state).toBe('done')
  expect(Object.keys(treeIn('box')).sort()).toEqual(['here.zip', ...Object.keys(all)].sort())
  expect(readdirSync(at('.')).filter((each) => each.startsWith('.filestead'))).toEqual([])
})

test('some of an archive is extracted by its names', async () => {
  server.put({ 'part.zip': zipOf(some) })
  await extract('/part.zip', { to: '/part', inside: ['/folder/b.txt', '/implied/deep'] })
  expect(treeIn('part')).toEqual({ 'b.txt': 'second', deep: '', 'deep/c.txt': '' })
  const none = await extract('/part.zip', { to: '/none', inside: ['/missing'] })
  expect([none.state, none.problem?.code, existsSync(at('none'))]).toEqual(['failed', 'not-found', false])
})

const lists = (name: string, text: string) => ({ name, content: text })

test('names that are taken are asked about before the first byte, and answered one by one', async () => {
  const names = ['keep', 'over', 'both', 'same', 'free', 'sub/deep']
  server.put({
    'ask.tar': tarOf(names.map((name) => lists(name, 'new'))),
    ...Object.fromEntries(['keep', 'over', 'both', 'same', 'sub/deep'].map((name) => [`ask/${name}`, 'old'])),
    'ask/same': 'new',
  })
  const time = 0o14000000000
  utimesSync(at('ask/same'), time, time)
  const asking = await extract('/ask.tar', { to: '/ask' })
  expect(asking.state).toBe('asking')
  expect(asking.conflicts.map(({ to }) => to).sort()).toEqual(['/ask/both', '/ask/keep', '/ask/over', '/ask/sub/deep'])
  expect(existsSync(at('ask/free'))).toBe(false)
  const choices = {
    '/ask/keep': 'skip',
    '/ask/over': 'replace',
    '/ask/both': 'keep-both',
    '/ask/sub/deep': 'replace',
  } as const
  const done = await answerWith(asking, { choices })
  expect([done.state, done.problem]).toEqual(['done', undefined])
  expect(treeIn('ask')).toEqual({
    keep: 'old',
    over: 'new',
    both: 'old',
    'both(1)': 'new',
    same: 'new',
    free: 'new',
    sub: '',
    'sub/deep': 'new',
  })
})

test.each(['__proto__', 'constructor'])('an answer counts for a file called %s', async (name) => {
  const folder = `odd-${name}`
  mkdirSync(at(folder))
  server.put({ 'odd.tar': tarOf([lists(name, 'new')]) })
  writeFileSync(at(`${folder}/${name}`), 'old')
  const asking = await extract('/odd.tar', { to: `/${folder}` })
  expect(asking.conflicts.map(({ to }) => to)).toEqual([`/${folder}/${name}`])
  expect((await answerWith(asking, { choices: { [`/${folder}/${name}`]: 'replace' } })).state).toBe('done')
  expect(readFileSync(at(`${folder}/${name}`), 'utf8')).toBe('new')
})

test.each([
  ['skip', 'old', undefined],
  ['replace', 'new', undefined],
  ['keep-both', 'old', 'new'],
  ['newer', 'old', undefined],
])('with %s for all nothing is asked', async (onConflict, there, beside) => {
  server.put({ 'all.zip': zipOf([{ name: 'x.txt', content: 'new' }]), [`all-${onConflict}/x.txt`]: 'old' })
  // Newer than what is in the archive.
  utimesSync(at(`all-${onConflict}/x.txt`), 4e9, 4e9)
  const job = await extract('/all.zip', { to: `/all-${onConflict}`, onConflict })
  expect(job.state).toBe('done')
  const tree = treeIn(`all-${onConflict}`)
  expect([tree['x.txt'], tree['x(1).txt']]).toEqual([there, beside])
})

test.each(['replace', 'ask'])(
  'an entry that has only the size and time of a file is not taken for it (%s)',
  async (onConflict) => {
    const folder = `alike-${onConflict}`
    server.put({ 'alike.tar': tarOf([lists('version', '1.2'), lists('free', 'free')]), [`${folder}/version`]: '1.1' })
    const time = 0o14000000000
    utimesSync(at(`${folder}/version`), time, time)
    const job = await extract('/alike.tar', { to: `/${folder}`, onConflict })
    if (onConflict === 'ask') {
      expect([job.state, job.conflicts.map(({ to }) => to)]).toEqual(['asking', [`/${folder}/version`]])
      expect(treeIn(folder).version).toBe('1.1')
      expect((await answerWith(job, { forAll: 'replace' })).state).toBe('done')
    } else expect(job.state).toBe('done')
    expect(treeIn(folder)).toEqual({ version: '1.2', free: 'free' })
  },
)

test('a file in place of the target, or of a folder in it, is never replaced', async () => {
  server.put({ 'clash.zip': zipOf(some), 'taken.txt': 'mine', 'mixed/folder': 'mine' })
  expect(await extract('/clash.zip', { to: '/taken.txt' })).toMatchObject({ problem: { code: 'already-exists' } })
  const mixed = await extract('/clash.zip', { to: '/mixed', onConflict: 'replace' })
  expect([mixed.state, mixed.problem?.code]).toEqual(['failed', 'already-exists'])
  expect([server.file('taken.txt'), server.file('mixed/folder')]).toEqual(['mine', 'mine'])
})

const outside = ['../escaped', 'x/../../escaped', '/../escaped']

test('nothing is written outside, and no link or device is made', async () => {
  const links: TarFacts[] = [
    { name: 'link', type: '2', link: '/etc' },
    { name: 'link/passwd', content: 'root' },
    { name: 'hard', type: '1', link: '/etc/passwd' },
    { name: 'null', type: '3' },
    { name: 'pipe', type: '6' },
  ]
  const entries = [...outside.map((name) => lists(name, 'out')), ...links, lists('good', 'in'), lists('/abs', 'in')]
  server.put({ 'evil.tar': tarOf(entries), 'deep/evil.zip': zipOf(outside.map((name) => lists(name, 'out'))) })
  const job = await extract('/evil.tar', { to: '/deep/evil' })
  expect(job.state).toBe('done')
  expect(treeIn('deep/evil')).toEqual({ link: '', 'link/passwd': 'root', good: 'in', abs: 'in' })
  await extract('/deep/evil.zip', { to: '/deep/zip' })
  expect(existsSync(at('escaped')) || existsSync(at('deep/escaped'))).toBe(false)
})

test('of a file and a folder of one name the first is kept, and setuid bits are dropped', async () => {
  server.put({
    'odd.zip': zipOf([
      { name: 'x', content: 'file' },
      { name: 'x/y', content: 'below' },
      { name: 'tool', content: '#!', mode: 0o104755 },
      { name: 'twice', content: 'one' },
      { name: 'twice', content: 'two' },
    ]),
  })
  const job = await extract('/odd.zip', { to: '/odd' })
  expect([job.state, job.skipped]).toEqual(['done', 1])
  expect(treeIn('odd')).toEqual({ x: 'file', tool: '#!', twice: 'two' })
  const mode = statSync(at('odd/tool')).mode
  expect([mode & 0o7000, mode & 0o100]).toEqual([0, 0o100])
})

test.each([
  ['a flat trap', zipOf([{ name: 'x', content: Buffer.alloc(64 << 20) }]), 'too-large'],
  ['a trap with a lie', zipOf([{ name: 'x', content: Buffer.alloc(64 << 20), size: 100 }]), 'invalid'],
  ['a compressed tar of zeros', gzipSync(tarOf([{ name: 'x', content: Buffer.alloc(64 << 20) }])), 'too-large'],
  ['an encrypted file', zipOf([{ name: 'x', content: 'x', flags: 0x801 }]), 'unsupported-type'],
  ['a wrong checksum', zipOf([lists('fine', 'x'), { name: 'x', content: 'x', crc: 1 }]), 'invalid'],
  ['a tar that was cut off', tarOf(some).subarray(0, 5000), 'invalid'],
  ['a broken gzip', gzipSync(tarOf(some)).subarray(0, -20), 'invalid'],
])('%s leaves nothing behind', async (_, bytes, code) => {
  server.put({ 'bad.bin': bytes, 'kept/mine.txt': 'mine' })
  for (const to of ['/bad', '/kept']) {
    const answer = await post('/bad.bin', { to })
    const job = answer.ok ? await ended((await answer.json()) as Job) : undefined
    if (job === undefined) expect([400, 413, 415]).toContain(answer.status)
    else expect([job.state, job.problem?.code]).toEqual(['failed', code])
  }
  expect(existsSync(at('bad'))).toBe(false)
  expect(treeIn('kept')).toEqual({ 'mine.txt': 'mine' })
  expect(readdirSync(at('.')).filter((each) => each.startsWith('.filestead'))).toEqual([])
})

test('an archive inside of an archive stays one', async () => {
  server.put({ 'nested.zip': zipOf([{ name: 'inner.zip', content: zipOf(some) }]) })
  await extract('/nested.zip', { to: '/nested' })
  expect(Object.keys(treeIn('nested'))).toEqual(['inner.zip'])
})

test('extraction needs the rights to download the archive and to create at the target', async () => {
  await server.addUser('bob', { lacks: ['create'] })
  await server.addUser('cat', { lacks: ['download', 'share'] })
  server.put({ 'rights.zip': zipOf(some) })
  for (const name of ['bob', 'cat']) {
    const answer = await post('/rights.zip', { to: '/rights' }, await server.as(name))
    expect([name, answer.status]).toEqual([name, 403])
  }
  expect(existsSync(at('rights'))).toBe(false)
})

test('what rules deny is left out and counted', async () => {
  await server.addUser('dan', {
    rules: [{ regex: false, allow: false, path: '/ruled/folder', regexp: { raw: '' } }] as never,
  })
  server.put({ 'ruled.zip': zipOf(some), 'ruled/': '' })
  const job = await extract('/ruled.zip', { to: '/ruled' }, await server.as('dan'))
  expect(job.state).toBe('done')
  expect(Object.keys(treeIn('ruled'))).toEqual(expect.not.arrayContaining(['folder', 'folder/b.txt']))
  expect(treeIn('ruled')['a.txt']).toBe('first')
})

test('a job that is cancelled leaves nothing', async () => {
  const entries = Array.from({ length: 3000 }, (_, count) => lists(`d${count % 10}/f${count}`, 'x'.repeat(2000)))
  server.put({ 'many.zip': zipOf(entries), 'into/mine.txt': 'mine' })
  for (const to of ['/cancelled', '/into']) {
    const answer = await ann('/api/jobs', {
      method: 'POST',
      headers: { prefer: 'wait=0' },
      body: JSON.stringify({ kind: 'extract', from: '/many.zip', to }),
    })
    const job = (await answer.json()) as Job
    await ann(`/api/jobs/${job.id}`, { method: 'PATCH', body: JSON.stringify({ action: 'cancel' }) })
    const over = await ended(job)
    if (over.state !== 'cancelled') continue
    while (readdirSync(at('.')).some((name) => name.startsWith('.filestead'))) await Bun.sleep(20)
  }
  expect(Object.keys(treeIn('into')).filter((name) => name.startsWith('.filestead'))).toEqual([])
})

const tools = mkdtempSync(join(tmpdir(), 'filestead-pack-'))
afterAll(() => rmSync(tools, { recursive: true, force: true }))

test.each([
  ['zip', ['zip', '-qr', 'packed', 'tree']],
  ['tar', ['tar', '-czf', 'packed.zip', 'tree']],
  ['7z', ['7z', 'a', '-bso0', '-tzip', 'packed.zip', 'tree']],
  ['bsdtar', ['bsdtar', '-cf', 'packed.zip', 'tree']],
])('what %s packs is the same after extraction', async (tool, command) => {
  if (Bun.which(tool) === null) return console.warn(`${tool} is not installed`)
  mkdirSync(join(tools, 'tree/sub/ünïcode'), { recursive: true })
  for (let count = 0; count < 50; count += 1)
    writeFileSync(join(tools, `tree/sub/ünïcode/file ${count}.txt`), `content ${count}`.repeat(count * 100))
  rmSync(join(tools, 'packed.zip'), { force: true })
  expect(Bun.spawnSync(command, { cwd: tools }).exitCode).toBe(0)
  server.put({ [`${tool}/packed.zip`]: readFileSync(join(tools, 'packed.zip')) })
  expect((await extract(`/${tool}/packed.zip`, { to: `/${tool}/out` })).state).toBe('done')
  expect(Bun.spawnSync(['diff', '-r', join(tools, 'tree'), at(`${tool}/out/tree`)]).exitCode).toBe(0)
})

test('a pax size that lies does not lead to other entries', async () => {
  const bytes = tarOf([
    { name: 'pax', type: 'x', content: paxOf({ size: '3' }) },
    { name: 'x', content: 'abc' },
    { name: 'y', content: 'def' },
  ])
  server.put({ 'pax.tar': bytes })
  await extract('/pax.tar', { to: '/pax' })
  expect(treeIn('pax')).toEqual({ x: 'abc', y: 'def' })
})
