import { expect, test } from 'bun:test'
import { User } from '@filestead/contract'
import { scopeOf } from '../access/scope.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { choicesIn } from './planning.ts'

const scope = scopeOf({ user: User.parse({ id: 1, username: 'ann', scope: '/' }), rules: [] }, memoryStorage())

const choicesOf = (count: number, folder: string) =>
  choicesIn(scope, {
    kind: 'copy',
    items: [{ from: '/a', to: '/b' }],
    onConflict: 'ask',
    choices: Object.fromEntries(Array.from({ length: count }, (_, at) => [`/${folder}${at}`, 'skip'])),
  })

test('others are served while the answers about many long paths are read', async () => {
  let isServed = false
  setImmediate(() => {
    isServed = true
  })
  const { by } = await choicesOf(10_000, 'x/'.repeat(100))
  expect([isServed, Object.keys(by).length]).toEqual([true, 10_000])
})

test('a job begins with no more answers about single names than it may have in all', async () => {
  expect(Object.keys((await choicesOf(20_000, '')).by)).toHaveLength(20_000)
  await expect(choicesOf(20_001, '')).rejects.toThrow('too many answers about single names')
  await expect(choicesOf(10_000, 'x/'.repeat(150))).rejects.toThrow('too many answers about single names')
})
