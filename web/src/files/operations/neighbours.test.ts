import { expect, test } from 'bun:test'
import { neighbourOf } from './neighbours.ts'

const named = (names: string) => [...names].map((name) => ({ name, path: `/${name}` }))

test.each([
  ['abcd', 'b', 'c'],
  ['abcd', 'ac', 'd'],
  ['abcd', 'd', 'c'],
  ['abcd', 'cd', 'b'],
  ['abcd', 'abcd', undefined],
  ['abcd', 'x', undefined],
] as const)('in %s, after %s goes, comes %s', (all, going, next) => {
  expect(neighbourOf(named(all), named(going))?.name).toBe(next as string)
})
