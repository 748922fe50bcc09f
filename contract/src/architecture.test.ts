import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

test('the contract imports nothing but zod and itself', () => {
  const sources = readdirSync(import.meta.dirname).filter((file) => !file.endsWith('.test.ts'))
  const foreign = sources.flatMap((file) =>
    [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/from '([^']+)'/g)]
      .map(([, source]) => source)
      .filter((source) => source !== 'zod' && !source?.startsWith('./')),
  )
  expect(foreign).toEqual([])
})
