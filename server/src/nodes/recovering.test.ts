import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabase } from '../../test/database.ts'
import { cleanupOf } from './cleanup.ts'
import { distantNodes } from './distant-nodes.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-recovering-'))
const db = await testDatabase()
afterEach(() => db.deleteFrom('node').execute())
afterAll(async () => {
  await db.destroy()
  rmSync(folder, { recursive: true })
})

const distant = distantNodes(folder, db)

test('what a dead node left is for the first of the others, from the beginning of its next round on', async () => {
  const one = distant('one')
  await one.beats(1)
  const [two, three] = [distant('two'), distant('three')]
  await Promise.all([one.beats(1), two.beats(1), three.beats(1)])
  await Promise.all([one.renew(), two.renew()])
  const heirs = () => [one, two].filter(({ recovering }) => !recovering.isAlive(three.id)).map(({ id }) => id)
  for (let beat = 0; beat < 5; beat += 1) await Promise.all([one.beats(1), two.beats(1)])
  expect([one.isAlive(three.id), two.isAlive(three.id), heirs()]).toEqual([false, false, []])
  await Promise.all([one.renew(), two.renew()])
  expect(heirs()).toEqual([one.id])
  await one.leave()
  await two.beats(1)
  await two.renew()
  expect(two.recovering.isAlive(three.id)).toBe(false)
  await Promise.all([two.leave(), three.leave()])
})

/** A process that has ended. */
const gone = '4194305:1'

/** Those of them that would take over what this one left. */
const heirsOf = (id: string, ...nodes: Pick<ReturnType<typeof distant>, 'id' | 'recovering'>[]) =>
  nodes.filter(({ recovering }) => !recovering.isAlive(id)).map((node) => node.id)

test('what a dead node left is passed on where the disk of the first hangs, and comes back to it when that of the next does', async () => {
  const one = distant('one')
  await one.beats(1)
  const two = distant('two')
  await two.beats(1)
  const disks = { one: Promise.withResolvers<void>(), two: Promise.withResolvers<void>() }
  const cleanupFor = (node: typeof one, hanging: Promise<void>) =>
    cleanupOf(
      { node: async () => void (await node.renew()), jobs: () => hanging },
      { warn() {} },
      { patience: 1, unfinished: node.passOn },
    )
  const [first, second] = [cleanupFor(one, disks.one.promise), cleanupFor(two, disks.two.promise)]
  for (const round of [0, 1, 2]) {
    await one.renew()
    await two.renew()
    expect([round, heirsOf(gone, one, two)]).toEqual([round, [one.id]])
    await first.start()
    await one.renew()
    await two.renew()
    expect([round, heirsOf(gone, one, two)]).toEqual([round, [two.id]])
    await second.start()
  }
  // While it is the only one, it goes on with what does not hang.
  await two.leave()
  await one.beats(1)
  await first.start()
  await one.renew()
  expect(heirsOf(gone, one)).toEqual([one.id])
  disks.one.resolve()
  first.stop()
  second.stop()
  await one.leave()
})

test('a node that was taken for dead and is back leaves the place of the first to the next', async () => {
  const one = distant('one')
  await one.beats(1)
  const two = distant('two')
  await two.beats(1)
  await Promise.all([one.renew(), two.renew()])
  expect(heirsOf(gone, one, two)).toEqual([one.id])
  await two.foundDead(one.id)
  await two.renew()
  await one.beats(1)
  expect(heirsOf(gone, one, two)).toEqual([two.id])
  await Promise.all([one.renew(), two.beats(1)])
  await two.renew()
  expect(heirsOf(gone, one, two)).toEqual([two.id])
  await Promise.all([one.leave(), two.leave()])
})

test('a node that was taken for dead takes nothing over before it knows', async () => {
  let stood = 0
  const one = distant('one', { sinceBeat: () => stood })
  await one.beats(1)
  const two = distant('two')
  await two.beats(1)
  await Promise.all([one.renew(), two.renew()])
  expect(heirsOf(gone, one, two)).toEqual([one.id])
  // It stood still, in the middle of a round.
  stood = 60_000
  await two.foundDead(one.id)
  await two.renew()
  expect(heirsOf(gone, one, two)).toEqual([two.id])
  // Its next round comes before its next beat.
  stood = 0
  await one.renew()
  expect([heirsOf(gone, one, two), await one.isFirst(), await two.isFirst()]).toEqual([[two.id], false, true])
  await one.beats(1)
  await one.renew()
  expect(heirsOf(gone, one, two)).toEqual([two.id])
  await Promise.all([one.leave(), two.leave()])
})
