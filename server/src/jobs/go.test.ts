import { expect, test } from 'bun:test'
import { User } from '@filestead/contract'
import { type Scope, scopeOf } from '../access/scope.ts'
import { homeOf, treeAt } from '../access/tree.ts'
import type { Changes } from '../changes/pipeline.ts'
import { Failure } from '../failure.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { Go } from './go.ts'
import type { Kind, Run } from './kind.ts'
import { recordFor } from './planning.ts'

const scope = scopeOf({ user: User.parse({ id: 1, username: 'ann', scope: '/' }), rules: [] }, memoryStorage())

function begin(
  kind: Pick<Kind, 'run' | 'require'>,
  options: { now?: () => number; scope?: () => Promise<Scope> } = {},
) {
  const planned = { plan: {}, count: 2, names: [] }
  const choices = { forAll: 'ask', by: {} } as const
  const go = new Go({
    record: recordFor(scope, { kind: 'delete', items: ['/a'] }, { planned, choices, createdAt: 0 }),
    kind: { ...kind, plan: async () => planned, clear: async () => {} },
    changes: {} as Changes,
    scope: async () => scope,
    store: async () => true,
    changed() {},
    unexpected() {},
    did() {},
    ...options,
  })
  return { go, ended: go.run() }
}

const untilAborted = (run: Run<unknown>) =>
  new Promise<never>((_, reject) => run.signal.addEventListener('abort', () => reject(run.signal.reason)))

test('a job that ends while its disk seems not to answer has no problem any more', async () => {
  let now = 0
  const held = Promise.withResolvers<void>()
  const { go, ended } = begin({ run: () => held.promise }, { now: () => now })
  now = 16_000
  await go.look()
  expect(go.facts().problem?.code).toBe('unavailable')
  held.resolve()
  expect(await ended).toBe('done')
  expect(go.facts().problem).toBeUndefined()
})

test('a job without progress for fifteen seconds says that the disk does not answer, until there is some', async () => {
  let now = 0
  const { go, ended } = begin({ run: untilAborted }, { now: () => now })
  const problem = async () => {
    await go.look()
    return go.facts().problem?.code
  }
  now = 14_000
  expect(await problem()).toBeUndefined()
  now = 16_000
  expect([await problem(), go.isStalled]).toEqual(['unavailable', true])
  go.progress({ files: 1, bytes: 1 })
  expect([await problem(), go.isStalled]).toEqual([undefined, false])
  go.interrupt('stopped')
  expect(await ended).toBe('stopped')
})

test('a right that is taken away ends the job, and one that was never there fails its entry alone', async () => {
  let isAllowed = true
  const require = () => {
    if (!isAllowed) throw new Failure('forbidden', 'Not allowed')
  }
  const started = async (run: Run<unknown>) => {
    await run.scope()
    await untilAborted(run)
  }
  const taken = begin({ run: started, require })
  await Bun.sleep(0)
  isAllowed = false
  await taken.go.look()
  expect(await taken.ended).toMatchObject({ code: 'forbidden' })
  const never = begin({ run: started, require })
  await Bun.sleep(0)
  await never.go.look()
  expect(never.go.signal.aborted).toBe(false)
  never.go.interrupt('stopped')
  await never.ended
})

test('a database that cannot be read for a moment takes no rights away', async () => {
  const broken = async () => {
    throw new Failure('unavailable', 'The database cannot be written or read now')
  }
  const { go, ended } = begin({ run: untilAborted }, { scope: broken })
  await go.look()
  expect(go.signal.aborted).toBe(false)
  go.interrupt('paused')
  expect(await ended).toBe('paused')
})

test('of more conflicts than a thousand no more are told at once, and all wait for an answer', async () => {
  const side = { isDir: false, size: 1, modified: '' }
  const { go, ended } = begin({
    run: async (run) => {
      for (let index = 0; index < 1500; index += 1)
        run.ask(index, { from: `/a${index}`, to: `/b${index}`, source: side, target: side })
    },
  })
  expect(await ended).toBe('asking')
  expect([go.facts().conflicts.length, go.record.notes.conflicts.length]).toEqual([1000, 1500])
})

test('a pause in the moment in which all is done leaves the job done', async () => {
  const paused = async (run: Run<unknown>, cursor: number) => {
    run.cursor = cursor
    go.interrupt('paused')
    await run.save()
    await run.scope()
  }
  let { go, ended } = begin({ run: (run) => Bun.sleep(0).then(() => paused(run, 1)) })
  expect(await ended).toBe('paused')
  ;({ go, ended } = begin({ run: (run) => Bun.sleep(0).then(() => paused(run, 2)) }))
  expect(await ended).toBe('done')
})

test('a go ends when its owner finds things under other paths, so that none leads to something else', async () => {
  const other = { ...scope, tree: treeAt(homeOf('/elsewhere'), { isHome: true }) }
  let latest: Scope = scope
  const twice = async (run: Run<unknown>) => {
    await run.scope()
    latest = other
    await run.scope()
  }
  const { ended } = begin({ run: twice }, { scope: async () => latest })
  expect(await ended).toBe('stopped')
})
