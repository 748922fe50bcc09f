import { expect, test } from 'bun:test'
import { deadline } from './deadline.ts'

test('work that ends before its deadline gives its own answer or failure', async () => {
  expect(await deadline(Promise.resolve('answer'), 10_000, 'late')).toBe('answer')
  expect(await deadline(Promise.reject(new Error('broken')), 10_000, 'late').catch(String)).toBe('Error: broken')
})

test('work that does not end gives the answer for late work', async () => {
  expect(await deadline(new Promise<string>(() => {}), 1, 'late')).toBe('late')
})
