import { expect, test } from 'bun:test'
import { keptAlive } from './keep-alive.ts'

test('keptAlive yields the filler again and again while its source is silent', async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  async function* source() {
    yield 'a'
    await first.promise
    yield 'b'
    yield 'c'
    await second.promise
  }
  let heard = ''
  for await (const piece of keptAlive(source(), '.', 1)) {
    heard += piece
    if (heard === 'a..') first.resolve()
    if (heard.endsWith('bc..')) second.resolve()
  }
  expect(heard).toMatch(/^a\.{2,}bc\.{2,}$/)
})

test('keptAlive ends its source when its consumer stops', async () => {
  let hasEnded = false
  async function* source() {
    try {
      for (;;) yield 'x'
    } finally {
      hasEnded = true
    }
  }
  for await (const _ of keptAlive(source(), '.', 30)) break
  expect(hasEnded).toBe(true)
})

test('keptAlive fails when its source fails', async () => {
  async function* broken(): AsyncGenerator<string> {
    yield 'a'
    throw new Error('broken')
  }
  await expect(Array.fromAsync(keptAlive(broken(), '.', 30))).rejects.toThrow('broken')
})
