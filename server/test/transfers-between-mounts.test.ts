import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rightNames as rights } from '@filestead/contract'
import { movingPrefix } from '../src/storage/path.ts'
import { statusOf } from './answers.ts'
import { inDatabase } from './database.ts'
import { countBelow, draftsBelow, snapshot } from './disk.ts'
import { startProgram, until } from './process.ts'
import { type Ask, startServer } from './server.ts'
import { canMountDisks, newFolder, newVolume, whyNoDisks } from './volumes.ts'

/** Paths are '/Files/…' and '/Other/…' for this account. */
async function grantOther(admin: Ask): Promise<void> {
  const body = JSON.stringify({ subject: 'everybody', mount: 2, folder: '/', rights })
  expect((await admin('/api/grants', { method: 'POST', body })).status).toBe(201)
}

async function served(other: string) {
  const server = await startServer({ mount: `Other=${other}` } as never)
  await server.addUser('admin', { isAdmin: true })
  const admin = await server.as('admin')
  await grantOther(admin)
  return { server, admin, [Symbol.asyncDispose]: () => server.stop() }
}

const transfer = (ask: Ask, action: 'rename' | 'copy', from: string, to: string, more = '') =>
  ask(`/api/resources${from}?action=${action}&destination=${encodeURIComponent(to)}${more}`, { method: 'PATCH' })

test.if(canMountDisks)(
  `every file acknowledged while its folder moves to another root folder is complete in one of both${whyNoDisks}`,
  async () => {
    const other = newVolume('64m') ?? ''
    await using world = await served(other)
    const { server, admin } = world
    const acknowledged: string[] = []
    for (let index = 0; index < 60; index += 1) server.put({ [`box/old ${index}.bin`]: Buffer.alloc(200_000, 'x') })
    let isMoved = false
    const moving = statusOf(transfer(admin, 'rename', '/Files/box', '/Other/box')).finally(() => {
      isMoved = true
    })
    const writers = [0, 1, 2].map(async (writer) => {
      for (let index = 0; !isMoved; index += 1) {
        const name = `new ${writer} ${index}.txt`
        const path = `/api/resources/Files/box/${encodeURIComponent(name)}`
        if ((await statusOf(admin(path, { method: 'POST', body: name }))) === 200) acknowledged.push(name)
      }
    })
    expect(await moving).toBe(200)
    await Promise.all(writers)
    expect(acknowledged).not.toEqual([])
    const [left, arrived] = [server.root, other].map((root) => snapshot(join(root, 'box')))
    for (const name of acknowledged) expect([name, left?.[name] ?? arrived?.[name]]).toEqual([name, name])
    expect(Object.keys(arrived ?? {}).filter((name) => name.endsWith('.bin'))).toHaveLength(60)
    expect([...draftsBelow(server.root), ...draftsBelow(other)]).toEqual([])
  },
)

test('on one file system a move is a rename: the file is the same one', async () => {
  const other = newFolder()
  await using world = await served(other)
  const { server, admin } = world
  server.put({ 'a.txt': 'a' })
  const before = statSync(join(server.root, 'a.txt')).ino
  expect(await statusOf(transfer(admin, 'rename', '/Files/a.txt', '/Other/b.txt'))).toBe(200)
  const isOneFileSystem = statSync(server.root).dev === statSync(other).dev
  if (isOneFileSystem) expect(statSync(join(other, 'b.txt')).ino).toBe(before)
  expect(existsSync(join(server.root, 'a.txt'))).toBe(false)
})

test('a taken name is told, kept beside, or replaced, as within one root folder', async () => {
  const other = newFolder()
  await using world = await served(other)
  const { server, admin } = world
  server.put({ 'a.txt': 'new' })
  writeFileSync(join(other, 'a.txt'), 'old')
  expect(await statusOf(transfer(admin, 'copy', '/Files/a.txt', '/Other/a.txt'))).toBe(409)
  expect(await statusOf(transfer(admin, 'copy', '/Files/a.txt', '/Other/a.txt', '&rename=true'))).toBe(200)
  expect(snapshot(other)).toEqual({ 'a.txt': 'old', 'a(1).txt': 'new' })
  expect(await statusOf(transfer(admin, 'rename', '/Files/a.txt', '/Other/a.txt', '&override=true'))).toBe(200)
  expect([snapshot(other)['a.txt'], snapshot(server.root)]).toEqual(['new', {}])
})

test.if(canMountDisks)(
  `a move onto a full disk leaves the source as it was, and nothing at the target${whyNoDisks}`,
  async () => {
    const other = newVolume('1m') ?? ''
    await using world = await served(other)
    const { server, admin } = world
    server.put({ 'box/small.txt': 'small', 'box/large.bin': Buffer.alloc(4 << 20, 'x') })
    const before = snapshot(server.root)
    for (const action of ['rename', 'copy'] as const)
      expect(await statusOf(transfer(admin, action, '/Files/box', '/Other/new/box'))).toBe(507)
    expect([snapshot(server.root), snapshot(other)]).toEqual([before, {}])
  },
)

test.if(canMountDisks)(
  `a move that the server is killed in leaves every file whole in one of both root folders${whyNoDisks}`,
  async () => {
    const other = newVolume('64m') ?? ''
    await using program = await startProgram({ flags: ['--mount', `Other=${other}`] })
    await grantOther(program.ask)
    const content = (name: string) => `${name} `.repeat(4000)
    const fill = (folder: string) => {
      mkdirSync(join(program.root, folder, 'deep'), { recursive: true })
      const names = Array.from({ length: 80 }, (_, index) => (index % 2 === 0 ? `${index}.txt` : `deep/${index}.txt`))
      for (const name of names) writeFileSync(join(program.root, folder, name), content(name))
      return names
    }
    const leaving = () =>
      inDatabase(program.database, async (db) => {
        const [moves, drafts] = [db.selectFrom('leaving').select('place'), db.selectFrom('draft').select('place')]
        return (await moves.unionAll(drafts).execute()).length
      })
    let interrupted = 0
    // The move goes on while the test looks at the disk, and may be done before the kill comes: then more rounds follow.
    for (let round = 0; round < 3 || (interrupted === 0 && round < 40); round += 1) {
      const box = `box${round}`
      const names = fill(box)
      const before = countBelow(other)
      let isAnswered = false
      const moving = transfer(program.ask, 'rename', `/Files/${box}`, `/Other/${box}`)
        .catch(() => undefined)
        .finally(() => {
          isAnswered = true
        })
      while (!isAnswered && countBelow(other) - before <= (round * 12) % 60) await Bun.sleep(0)
      await program.kill()
      const answer = await moving
      if ((await leaving()) > 0) interrupted += 1
      await program.start()
      await until(async () => (await leaving()) === 0)
      const [left, arrived] = [program.root, other].map((root) => snapshot(join(root, box)))
      for (const name of names)
        expect([round, name, left?.[name] === content(name) || arrived?.[name] === content(name)]).toEqual([
          round,
          name,
          true,
        ])
      if (answer?.status === 200) expect(Object.keys(left ?? {})).toEqual([])
      const hidden = [program.root, other].flatMap((root) => Object.keys(snapshot(root)))
      expect(hidden.filter((path) => path.includes(movingPrefix))).toEqual([])
      expect([...draftsBelow(program.root), ...draftsBelow(other)]).toEqual([])
    }
    expect(interrupted).toBeGreaterThan(0)
  },
  120_000,
)
