import { expect, test } from 'bun:test'
import { keptAlive } from './keep-alive.ts'

async function* slowly(...steps: (number | string)[]) {
  for (const step of steps) {
    if (typeof step === 'number') await Bun.sleep(step)
    else yield step
  }
}

test('silence is filled, again and again', async () => {
  const heard = (await Array.fromAsync(keptAlive(slowly('a', 300, 'b', 'c', 150), '.', 30))).join('')
  // A busy machine is late, so there may be fewer than the times would allow.
  expect(heard).toMatch(/^a\.{2,10}bc\.{1,5}$/)
})

test('whoever stops listening stops the source', async () => {
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

test('trouble of the source is trouble here', async () => {
  async function* broken(): AsyncGenerator<string> {
    yield 'a'
    throw new Error('broken')
  }
  await expect(Array.fromAsync(keptAlive(broken(), '.', 30))).rejects.toThrow('broken')
})
