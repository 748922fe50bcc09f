import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isOver, type Job } from '@filestead/contract'
import { startProgram, until } from './process.ts'
import { changeSomething, operationsOf, randomFrom, startJob, treeIn } from './random-changes.ts'

const firstFiles = {
  'a.txt': 'a',
  'box/a.txt': 'in the box',
  'box/in/c.txt': 'c',
  'other/a.txt': 'another',
  'other/in/d.txt': 'd',
}

test.each([[1], [2]])(
  'after kills during changes, what is listed and taken back in reverse leaves the tree as it was (seed %i)',
  async (seed) => {
    await using program = await startProgram()
    for (const [path, content] of Object.entries(firstFiles)) {
      mkdirSync(dirname(join(program.root, path)), { recursive: true })
      writeFileSync(join(program.root, path), content)
    }
    const random = randomFrom(seed)
    const roots = { '': program.root }
    const before = treeIn(roots)
    const changing = () => changeSomething(program.ask, { random, roots, merges: true })
    for (let kills = 0; kills < 3; kills += 1) {
      for (let count = 0; count < 3; count += 1) await changing()
      // Its answer is lost, and perhaps its work.
      const interrupted = changing().catch(() => '')
      await Bun.sleep(random(12))
      await program.kill()
      await interrupted
      await program.start()
      await until(async () =>
        ((await (await program.ask('/api/jobs')).json()) as Job[]).every(({ state }) => isOver(state)),
      )
    }
    let isRecovered = false
    await until(async () => {
      const listed = await operationsOf(program.ask)
      // Another server does not know at once that one is dead: until then its change is under way.
      isRecovered = listed.every(({ why }) => why !== 'unfinished' && why !== 'under-way')
      return isRecovered
    })
    const listed = await operationsOf(program.ask)
    // How many there are depends on how far the killed requests came.
    expect(listed.length).toBeGreaterThan(4)
    for (const { id, kind, names } of listed) {
      const { state, failures, message } = await startJob(program.ask, { kind: 'undo', operation: id })
      expect([kind, names, message, failures, state]).toEqual([kind, names, undefined, [], 'done'])
    }
    expect(treeIn(roots)).toEqual(before)
  },
  120_000,
)
