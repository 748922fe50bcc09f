import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rightNames } from '@filestead/contract'
import { canMount, mountHung } from '../src/storage/testing/hung-mount.fixture.ts'
import { statusOf } from './answers.ts'
import { startProgram, until } from './process.ts'
import { type Ask, startServer } from './server.ts'
import { mountDisk, newFolder } from './volumes.ts'

const run = (...command: string[]): boolean => Bun.spawnSync(command, { stderr: 'ignore' }).success

async function grantAll(admin: Ask, mounts: readonly number[]): Promise<void> {
  for (const id of mounts) {
    const body = JSON.stringify({ subject: 'everybody', mount: id, folder: '/', rights: rightNames })
    expect((await admin('/api/grants', { method: 'POST', body })).status).toBe(201)
  }
}

test.if(canMount)('a root folder whose disk is unmounted takes nothing, and is there again with its disk', async () => {
  const other = newFolder()
  if (!mountDisk(other, 'size=4m')) return
  await using server = await startServer({ mount: `Other=${other}` } as never)
  await server.addUser('admin', { isAdmin: true })
  const admin = await server.as('admin')
  await grantAll(admin, [2])
  const save = (name: string) => admin(`/api/resources/Other/${name}`, { method: 'POST', body: 'bytes' })
  expect((await save('kept.txt')).status).toBe(200)
  // The kernel refuses in the moments in which the server reads there.
  await until(() => run('umount', other))
  const refused = await admin('/api/resources/Other/lost.txt', {
    method: 'POST',
    body: 'bytes',
    headers: { accept: 'application/json' },
  })
  expect([refused.status, await refused.json()]).toEqual([
    503,
    { code: 'unavailable', message: 'The disk of this folder is not there at the moment' },
  ])
  expect(readdirSync(other)).toEqual([])
  expect((await server.ask('/health')).status).toBe(200)
  expect(await statusOf(admin('/api/resources/Files/own.txt', { method: 'POST', body: 'own' }))).toBe(200)
  expect(mountDisk(other, 'size=4m')).toBe(true)
  await until(async () => (await save('again.txt')).status === 200)
})

test.if(canMount)(
  'a root folder that hangs keeps nothing waiting: not the others, not the start, not /health',
  async () => {
    const [hanging, good] = [newFolder(), newFolder()]
    writeFileSync(join(good, 'a.txt'), 'a')
    const hung = mountHung(hanging)
    if (hung === undefined) return
    try {
      await using program = await startProgram({ flags: ['--mount', `Hung=${hanging}`, '--mount', `Good=${good}`] })
      mkdirSync(join(program.root, 'box'))
      writeFileSync(join(program.root, 'box/b.txt'), 'b')
      await grantAll(program.ask, [2, 3]).catch(() => {})
      await grantAll(program.ask, [3])
      for (let round = 0; round < 5; round += 1) {
        expect(await statusOf(program.ask('/api/raw/Good/a.txt'))).toBe(200)
        expect(await statusOf(program.ask('/api/raw/Files/box/b.txt'))).toBe(200)
        expect((await fetch(`${program.url}/health`)).status).toBe(200)
        expect(await statusOf(program.ask('/api/resources/Hung/'))).not.toBe(200)
      }
      const mounts = (await (await program.ask('/api/mounts')).json()) as { id: number; isAway: boolean }[]
      expect(mounts.map(({ id, isAway }) => [id, isAway]).sort()).toEqual([
        [1, false],
        [2, true],
        [3, false],
      ])
      hung.abort()
      run('umount', '-l', hanging)
      writeFileSync(join(hanging, 'c.txt'), 'c')
      await grantAll(program.ask, [2]).catch(() => {})
      await until(async () => {
        await grantAll(program.ask, [2]).catch(() => {})
        return (await program.ask('/api/raw/Hung/c.txt')).status === 200
      }, 40_000)
    } finally {
      hung.giveUp()
    }
  },
  90_000,
)

test('rights in a root folder whose disk is away are given and taken away, and count when it is back', async () => {
  const other = join(newFolder(), 'later')
  await using server = await startServer({ mount: `Other=${other}` } as never)
  await server.addUser('admin', { isAdmin: true })
  const admin = await server.as('admin')
  await grantAll(admin, [2])
  const body = JSON.stringify({ subject: 'everybody', mount: 2, folder: '/closed', rights: [] })
  expect(await statusOf(admin('/api/grants', { method: 'POST', body }))).toBe(201)
  expect(await statusOf(admin('/api/resources/Other'))).toBe(503)
  mkdirSync(join(other, 'closed'), { recursive: true })
  await until(async () => (await statusOf(admin('/api/resources/Other'))) === 200)
  expect(await statusOf(admin('/api/resources/Other/closed'))).toBe(403)
})
