import { afterAll, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { rightNames } from '@filestead/contract'
import { changeSomething, operationsOf, randomFrom, startJob, treeIn } from './random-changes.ts'
import type { Ask } from './server.ts'
import { startTwoMounts } from './two-mounts.ts'

interface Act {
  readonly ask: Ask
  readonly batch: string
  readonly what: string
}

const firstFiles = {
  'a.txt': 'a',
  'b.txt': 'b',
  'box/a.txt': 'in the box',
  'box/in/c.txt': 'c',
  'box/in/d.txt': 'd',
  'other/a.txt': 'another',
  'other/in/c.txt': 'another c',
  'other/empty/': '',
}

const volumes: string[] = []

/** Photos is a disk of its own where one can be mounted. */
const isDisk = (folder: string) => {
  if (Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder], { stderr: 'ignore' }).success)
    volumes.push(folder)
}
const it = await startTwoMounts({ history: { trash: 'on', versions: true } }, isDisk)
afterAll(async () => {
  for (const folder of volumes) Bun.spawnSync(['umount', '-l', folder])
  await it.server.stop()
})
const disks = volumes.length === 0 ? 'one disk, because none can be mounted' : 'two disks'
await it.grant('everybody', `${it.photos}:/`, rightNames)
const accounts: Ask[] = []
for (const name of ['ada', 'bob', 'cy']) {
  await it.server.addUser(name)
  accounts.push(await it.server.as(name))
}
it.server.put(firstFiles)
it.put(firstFiles)
symlinkSync('a.txt', join(it.server.root, 'link.txt'))

// One server for all, each seed goes on from the tree that the one before has left.
test.each([[1], [2], [4]])(
  `what several accounts did at random on ${disks}, taken back in reverse, leaves the tree as it was (seed %i)`,
  async (seed) => {
    const random = randomFrom(seed)
    const roots = { '/Files': it.server.root, '/Photos': it.folder }
    const before = treeIn(roots)
    const acts: Act[] = []
    const known = new Set<string>()
    for (const ask of accounts) for (const { id } of await operationsOf(ask)) known.add(id)
    for (let count = 0; count < 30; count += 1) {
      const ask = accounts[random(accounts.length)] as Ask
      const what = await changeSomething(ask, { random, roots, merges: true })
      for (const { id } of (await operationsOf(ask)).filter(({ id }) => !known.has(id)).toReversed()) {
        known.add(id)
        acts.push({ ask, batch: id, what })
      }
    }
    const after = treeIn(roots)
    expect(acts.length).toBeGreaterThan(12)
    const undone = await takeBack(acts)
    expect(treeIn(roots)).toEqual(before)
    await takeBack(undone)
    expect(treeIn(roots)).toEqual(after)
  },
)

/** The last one first; answers with what that did, in order. */
async function takeBack(acts: readonly Act[]): Promise<Act[]> {
  const undone: Act[] = []
  for (const { ask, batch, what } of acts.toReversed()) {
    const { id, state, failures, message } = await startJob(ask, { kind: 'undo', operation: batch })
    expect([what, message, failures, state]).toEqual([what, undefined, [], 'done'])
    // To take back an empty folder that came onto another one is nothing that could be redone.
    if ((await operationsOf(ask)).some((each) => each.id === id))
      undone.push({ ask, batch: id, what: `undo of ${what}` })
  }
  return undone
}
