import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checksumAlgorithms, type Job } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { draftsBelow } from './disk.ts'
import { jobsOf } from './jobs.ts'
import { startProgram, until } from './process.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('ann')
const ann = jobsOf(await server.as('ann'))
afterAll(() => server.stop())
beforeEach(() => {
  for (const name of readdirSync(server.root)) rmSync(join(server.root, name), { recursive: true, force: true })
})

const listOf = (items: string[], more: object = {}) => ({
  kind: 'checksum',
  items,
  to: '/sums.txt',
  algorithm: 'sha256',
  ...more,
})

/** Does the tool of the system agree with a list that lies in this folder? */
function verify(folder: string, list: string, tool = 'sha256sum'): [number, string] {
  if (Bun.which(tool) === null) {
    console.warn(`${tool} is not installed here`)
    return [0, '']
  }
  const { exitCode, stderr } = Bun.spawnSync([tool, '-c', '--quiet', list], { cwd: folder })
  return [exitCode, stderr.toString()]
}

test.each(checksumAlgorithms)('a list of %s sums is one that the tool of the system reads', async (algorithm) => {
  server.put({ 'box/a.txt': 'a', 'box/deep/b.txt': 'b', 'box/empty': '', 'lone.txt': 'alone' })
  const job = await ann.run(listOf(['/box', '/lone.txt'], { algorithm }))
  expect(job).toMatchObject({ state: 'done', done: { files: 4, bytes: 7 }, count: 2, finished: 2, to: '/sums.txt' })
  const lines = server.file('sums.txt').trim().split('\n')
  expect(lines.map((line) => line.split('  ')[1])).toEqual(['box/a.txt', 'box/deep/b.txt', 'box/empty', 'lone.txt'])
  expect(verify(server.root, 'sums.txt', `${algorithm}sum`)).toEqual([0, ''])
})

test('names are told from the folder of the list, where all files lie below it', async () => {
  server.put({ 'top/box/a.txt': 'a', 'lists/': '' })
  await ann.run(listOf(['/top/box'], { to: '/top.txt' }))
  expect(server.file('top.txt')).toEndWith('  top/box/a.txt\n')
  await ann.run(listOf(['/top/box'], { to: '/lists/box.txt' }))
  expect(server.file('lists/box.txt')).toEndWith('  box/a.txt\n')
})

test('names that hold line breaks, backslashes or bytes that are no text are told exactly', async () => {
  mkdirSync(join(server.root, 'odd'))
  for (const name of ['two\nlines', 'back\\slash', 'car\rriage', ' space '])
    writeFileSync(join(server.root, 'odd', name), name)
  writeFileSync(Buffer.concat([Buffer.from(`${server.root}/odd/`), Buffer.from([0xe9, 0xff])]), 'no text')
  expect(await ann.run(listOf(['/odd']))).toMatchObject({ state: 'done', done: { files: 5 } })
  expect(verify(server.root, 'sums.txt')).toEqual([0, ''])
})

test('a list replaces an older one, which it does not tell of', async () => {
  server.put({ 'box/a.txt': 'a', 'box/sums.txt': 'old' })
  const request = listOf(['/box'], { to: '/box/sums.txt' })
  expect((await ann.run(request)).state).toBe('asking')
  expect(await ann.run({ ...request, onConflict: 'replace' })).toMatchObject({ state: 'done', done: { files: 1 } })
  expect(server.file('box/sums.txt')).not.toContain('sums.txt')
})

test('files that may not be downloaded have no sums', async () => {
  await server.addUser('reader', { lacks: ['download', 'share'] })
  server.put({ 'a.txt': 'a' })
  const reader = await server.as('reader')
  const body = JSON.stringify(listOf(['/a.txt']))
  expect(await statusOf(reader('/api/jobs', { method: 'POST', body }))).toBe(403)
  expect(existsSync(join(server.root, 'sums.txt'))).toBe(false)
})

test('a job that is cancelled leaves no list', async () => {
  writeFileSync(join(server.root, 'large'), '')
  truncateSync(join(server.root, 'large'), 50 * 2 ** 30)
  const { id } = await ann.begin(listOf(['/large']))
  await until(async () => (await ann.find(id)).done.bytes > 0)
  await ann.remove(id)
  await until(() => draftsBelow(server.root).length === 0)
  expect([(await ann.find(id)).state, readdirSync(server.root)]).toEqual(['cancelled', ['large']])
})

test('checksums and archives go on after the server is killed', async () => {
  await using program = await startProgram()
  mkdirSync(join(program.root, 'box'))
  for (let index = 0; index < 3000; index += 1)
    writeFileSync(join(program.root, 'box', `${index}.txt`), `${index} `.repeat(index % 100))
  for (const name of ['large 1', 'large 2']) {
    writeFileSync(join(program.root, 'box', name), name)
    truncateSync(join(program.root, 'box', name), 150 << 20)
  }
  const jobs = jobsOf(program.ask)
  const begun = [
    await jobs.begin(listOf(['/box'])),
    await jobs.begin({ kind: 'compress', items: ['/box'], to: '/box.zip', format: 'zip' }),
    await jobs.begin({ kind: 'compress', items: ['/box'], to: '/box.tar.zst', format: 'tar.zst' }),
  ]
  for (let kill = 0; kill < 3; kill += 1) {
    await Bun.sleep(300 + 500 * kill)
    await program.kill()
    await program.start()
  }
  for (const { id } of begun) {
    let job: Job | undefined
    await until(async () => {
      job = await jsonIn<Job>(program.ask(`/api/jobs/${id}`))
      return !['queued', 'running'].includes(job.state)
    }, 120_000)
    expect(job).toMatchObject({ state: 'done', done: { files: 3002 } })
  }
  expect(verify(program.root, 'sums.txt')).toEqual([0, ''])
  expect(draftsBelow(program.root)).toEqual([])
  for (const [tool, command] of [
    ['unzip', ['unzip', '-tq', 'box.zip']],
    ['zstd', ['zstd', '-tq', 'box.tar.zst']],
    ['zstd', ['sh', '-c', 'zstd -dcq box.tar.zst | tar -d']],
  ] as const)
    if (Bun.which(tool) === null) console.warn(`${tool} is not installed here`)
    else {
      const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd: program.root })
      expect([command.join(' '), exitCode, `${stderr}`.trim()]).toEqual([command.join(' '), 0, ''])
      expect(`${stdout}`).not.toContain('differ')
    }
}, 240_000)
