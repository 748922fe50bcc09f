import { expect, test } from 'bun:test'
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

test.each([[1], [2], [3]])(
  'what several accounts did at random, taken back in reverse, leaves the tree as it was (seed %i)',
  async (seed) => {
    await using it = await startTwoMounts({ history: { trash: 'on', versions: true } })
    const random = randomFrom(seed)
    await it.grant('everybody', `${it.photos}:/`, rightNames)
    it.server.put(firstFiles)
    it.put(firstFiles)
    symlinkSync('a.txt', join(it.server.root, 'link.txt'))
    const accounts: Ask[] = []
    for (const name of ['ada', 'bob', 'cy']) {
      await it.server.addUser(name)
      accounts.push(await it.server.as(name))
    }
    const roots = { '/Files': it.server.root, '/Photos': it.folder }
    const before = treeIn(roots)
    const acts: Act[] = []
    const known = new Set<string>()
    for (let count = 0; count < 35; count += 1) {
      const ask = accounts[random(accounts.length)] as Ask
      const what = await changeSomething(ask, { random, roots, merges: true })
      for (const { id } of (await operationsOf(ask)).filter(({ id }) => !known.has(id)).toReversed()) {
        known.add(id)
        acts.push({ ask, batch: id, what })
      }
    }
    const after = treeIn(roots)
    expect(acts.length).toBeGreaterThan(15)
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
    undone.push({ ask, batch: id, what: `undo of ${what}` })
  }
  return undone
}
