import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workerPool } from './worker-pool.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-pool-'))
const file = join(folder, 'worker.ts')
writeFileSync(
  file,
  `import { threadId } from 'node:worker_threads'
   import { poolTasks } from ${JSON.stringify(join(import.meta.dir, 'worker.ts'))}
   self.onmessage = poolTasks(async (word) => {
     if (word === 'fail') throw new Error('no')
     if (word === 'die') setTimeout(() => { throw new Error('dead') })
     if (word === 'die' || word === 'wait') await new Promise((resolve) => setTimeout(resolve, 50))
     return threadId + ' ' + word
   })`,
)
const threadOf = (answer: string) => answer.split(' ')[0]

test('tasks are done by as many workers as there may be, and each gets its own answer', async () => {
  const pool = workerPool<string, string>(file, { most: 2, idleAfter: 10_000 })
  const answers = await Promise.all(Array.from({ length: 6 }, () => pool.run('wait')))
  expect(answers.every((answer) => answer.endsWith(' wait'))).toBe(true)
  expect(new Set(answers.map(threadOf)).size).toBe(2)
})

test('a task that fails leaves its worker to the next one', async () => {
  const pool = workerPool<string, string>(file, { most: 1, idleAfter: 10_000 })
  const before = await pool.run('a')
  const refusal = await pool.run('fail').catch((error: Error) => error.message)
  expect([refusal, threadOf(await pool.run('b'))]).toEqual(['no', threadOf(before)])
})

test('a worker that dies fails its own task, and another one does the rest', async () => {
  const pool = workerPool<string, string>(file, { most: 1, idleAfter: 10_000 })
  const dying = pool.run('die').catch((error: Error) => error.message)
  const next = pool.run('b')
  expect([await dying, (await next).endsWith(' b')]).toEqual([expect.stringContaining('dead'), true])
})

test('workers without a task end, and are started again for the next one', async () => {
  const pool = workerPool<string, string>(file, { most: 1, idleAfter: 1 })
  const before = await pool.run('a')
  await Bun.sleep(50)
  expect(threadOf(await pool.run('b'))).not.toBe(threadOf(before))
})
