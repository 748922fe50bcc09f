import { afterAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { statusOf } from './answers.ts'
import { draftsBelow, snapshot } from './disk.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
const alice = await server.as('alice')
const other = join(server.root, 'other')
mkdirSync(other)
const { exitCode, stderr } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', other])
const why = exitCode === 0 ? '' : ` (skipped, because no disk can be mounted: ${stderr.toString().trim()})`
afterAll(async () => {
  Bun.spawnSync(['umount', other], { stderr: 'ignore' })
  await server.stop()
})

const rounds = 3
const ballast = Buffer.alloc(200_000, 'x')

test.if(why === '')(
  `every file acknowledged while its folder moves to another disk is complete in one of both folders${why}`,
  async () => {
    for (let round = 0; round < rounds; round += 1) {
      const acknowledged: string[] = []
      for (let index = 0; index < 60; index += 1) server.put({ [`box${round}/old ${index}.bin`]: ballast })
      let isMoved = false
      const moving = statusOf(
        alice(`/api/resources/box${round}?action=rename&destination=%2Fother%2Fbox${round}`, { method: 'PATCH' }),
      ).finally(() => {
        isMoved = true
      })
      const writers = [0, 1, 2].map(async (writer) => {
        for (let index = 0; !isMoved; index += 1) {
          const name = `new ${writer} ${index}.txt`
          const saved = await statusOf(
            alice(`/api/resources/box${round}/${encodeURIComponent(name)}`, { method: 'POST', body: name }),
          )
          if (saved === 200) acknowledged.push(name)
        }
      })
      expect(await moving).toBe(200)
      await Promise.all(writers)
      expect(acknowledged).not.toEqual([])
      const [left, arrived] = [server.root, other].map((disk) => snapshot(join(disk, `box${round}`)))
      for (const name of acknowledged) expect([name, left?.[name] ?? arrived?.[name]]).toEqual([name, name])
      expect(Object.keys(arrived ?? {}).filter((name) => name.endsWith('.bin'))).toHaveLength(60)
      expect([...draftsBelow(server.root), ...draftsBelow(other)]).toEqual([])
    }
  },
  120_000,
)
