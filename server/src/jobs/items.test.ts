import { expect, test } from 'bun:test'
import { parsedPaths } from './items.ts'

test('others are served while the paths of a long plan are read', async () => {
  const paths = Array.from({ length: 10_000 }, (_, at) => `/${at}/${'x/'.repeat(300)}`)
  let isServed = false
  setImmediate(() => {
    isServed = true
  })
  const parsed = await parsedPaths(paths)
  expect([isServed, parsed.length, parsed[7]?.slice(0, 8)]).toEqual([true, 10_000, '/7/x/x/x'])
  await expect(parsedPaths(['/a', '/../b'])).rejects.toThrow('..')
})
