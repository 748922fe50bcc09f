import { expect, test } from 'bun:test'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rightNames as rights } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { draftsBelow, snapshot } from './disk.ts'
import { copying, jobsOf, moving } from './jobs.ts'
import { until } from './process.ts'
import { startServer } from './server.ts'
import { tusOf } from './tus.ts'
import { canMountDisks, newVolume, whyNoDisks } from './volumes.ts'

async function startWithOther(size: string) {
  const other = newVolume(size) ?? ''
  const server = await startServer({ mount: `Other=${other}` } as never)
  await server.addUser('admin', { isAdmin: true })
  const ask = await server.as('admin')
  const body = JSON.stringify({ subject: 'everybody', mount: 2, folder: '/', rights })
  expect((await ask('/api/grants', { method: 'POST', body })).status).toBe(201)
  const drafts = () => [...draftsBelow(server.root), ...draftsBelow(other)]
  return { server, ask, jobs: jobsOf(ask), other, drafts, [Symbol.asyncDispose]: () => server.stop() }
}

test.if(canMountDisks)(`a link into a folder follows it when a job moves it to another disk${whyNoDisks}`, async () => {
  await using world = await startWithOther('8m')
  const { server, ask, jobs, other } = world
  server.put({ 'box/in/a.txt': 'a', 'box/b.txt': 'b' })
  const { hash } = await jsonIn<{ hash: string }>(ask('/api/share/Files/box/in', { method: 'POST', body: '{}' }))
  expect(await jobs.run(moving('/Files/box', '/Other/moved'))).toMatchObject({
    state: 'done',
    from: '/Files',
    to: '/Other',
  })
  expect(snapshot(other)).toMatchObject({ 'moved/in/a.txt': 'a', 'moved/b.txt': 'b' })
  expect(existsSync(join(server.root, 'box'))).toBe(false)
  expect(await (await server.ask(`/api/public/dl/${hash}/a.txt`)).text()).toBe('a')
})

test.if(canMountDisks)(
  `a full target stops a move with its source whole, and retry goes on when there is room${whyNoDisks}`,
  async () => {
    await using world = await startWithOther('3m')
    const { server, jobs, other, drafts } = world
    writeFileSync(join(other, 'in-the-way.bin'), Buffer.alloc(2 << 20))
    server.put({ 'box/1.txt': 'one', 'box/2.bin': Buffer.alloc(1_500_000, 'x'), 'box/3.txt': 'three' })
    const before = snapshot(join(server.root, 'box'))
    const job = await jobs.run(moving('/Files/box', '/Other/box'))
    expect(job).toMatchObject({ state: 'failed', problem: { code: 'no-space' }, finished: 0 })
    expect(snapshot(join(server.root, 'box'))).toEqual(before)
    expect(existsSync(join(other, 'box'))).toBe(false)
    rmSync(join(other, 'in-the-way.bin'))
    await jobs.change(job.id, { action: 'retry' })
    expect(await jobs.until(job.id, 'done', 'failed')).toMatchObject({ state: 'done', finished: 1 })
    expect(snapshot(join(other, 'box'))).toEqual(before)
    expect(existsSync(join(server.root, 'box'))).toBe(false)
    await until(() => drafts().length === 0)
  },
)

test.if(canMountDisks)(
  `a failed copy that is taken off the list leaves nothing hidden behind${whyNoDisks}`,
  async () => {
    await using world = await startWithOther('1m')
    const { server, jobs, drafts, other } = world
    server.put({ 'box/1.txt': 'one', 'box/2.bin': Buffer.alloc(3 << 20, 'x') })
    const job = await jobs.run(copying('/Files/box', '/Other/box'))
    expect(job).toMatchObject({ state: 'failed', problem: { code: 'no-space' } })
    expect(await jobs.remove(job.id)).toBe(204)
    expect(drafts()).toEqual([])
    expect(snapshot(other)).toEqual({})
  },
)

test.if(canMountDisks)(
  `a source that vanishes while it is copied fails its entry, and the others arrive${whyNoDisks}`,
  async () => {
    await using world = await startWithOther('16m')
    const { server, jobs, other, drafts } = world
    const names = Array.from({ length: 40 }, (_, index) => `${index}.txt`)
    server.put(Object.fromEntries(names.map((name) => [name, name])))
    const items = names.map((name) => ({ from: `/Files/${name}`, to: `/Other/${name}` }))
    const { id } = await jobs.begin({ kind: 'copy', items })
    rmSync(join(server.root, '39.txt'))
    const job = await jobs.until(id, 'failed', 'done')
    expect(job.failures.map(({ path, code }) => [path, code])).toEqual([['/Files/39.txt', 'not-found']])
    expect(Object.keys(snapshot(other)).sort()).toEqual(names.slice(0, -1).sort())
    await until(() => drafts().length === 0)
  },
)

test.if(canMountDisks)(
  `a folder with an upload that has not ended is moved to another disk, or deleted, whole${whyNoDisks}`,
  async () => {
    await using world = await startWithOther('8m')
    const { server, ask, jobs, other } = world
    server.put({ 'box/a.txt': 'a', 'box/in/': '', 'gone/in/': '' })
    const tus = tusOf(ask)
    for (const path of ['/Files/box/in/up.bin', '/Files/gone/in/up.bin']) {
      expect((await tus.create(path, 10)).status).toBe(201)
      expect((await tus.append(path, 0, 'half')).status).toBe(204)
    }
    expect(await jobs.run(moving('/Files/box', '/Other/box'))).toMatchObject({ state: 'done', failures: [] })
    expect(snapshot(other)).toMatchObject({ 'box/a.txt': 'a' })
    expect(existsSync(join(server.root, 'box'))).toBe(false)
    const deleting = { kind: 'delete', items: ['/Files/gone'], forGood: true }
    expect(await jobs.run(deleting)).toMatchObject({ state: 'done', failures: [] })
    expect(existsSync(join(server.root, 'gone'))).toBe(false)
  },
)
