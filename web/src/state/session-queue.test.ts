import { expect, test } from 'bun:test'
import { sessionQueue } from './session-queue.ts'
import { endScope } from './session-scope.ts'

test('one piece of work begins when the one before it has ended, also by a failure', async () => {
  const queue = sessionQueue()
  const log: string[] = []
  let fail = () => {}
  const first = queue.add(() => new Promise<void>((_, reject) => (fail = () => reject(new Error('no')))))
  const second = queue.add(async () => void log.push('second'))
  await Bun.sleep(0)
  expect(log).toEqual([])
  fail()
  await expect(first).rejects.toThrow('no')
  await second
  expect(log).toEqual(['second'])
})

test('what waits when the session ends is not begun in the next one', async () => {
  const queue = sessionQueue()
  let end = () => {}
  const first = queue.add(() => new Promise<void>((resolve) => (end = resolve)))
  let isBegun = false
  const second = queue.add(async () => {
    isBegun = true
  })
  await Bun.sleep(0)
  endScope('cut-off')
  const next = queue.add(async () => 'next')
  expect(await next).toBe('next')
  end()
  await first
  await expect(second).rejects.toThrow()
  expect(isBegun).toBe(false)
})
