import { expect, test } from 'bun:test'
import { hold } from './complete.ts'

async function* arriving(...steps: readonly (string | number | Error)[]): AsyncGenerator<Uint8Array> {
  for (const step of steps) {
    if (step instanceof Error) throw step
    if (typeof step === 'number') await Bun.sleep(step)
    else yield Buffer.from(step)
  }
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  try {
    for await (const chunk of bytes) text += Buffer.from(chunk).toString()
  } catch (error) {
    text += ` (${(error as Error).message})`
  }
  return text
}

test('a piece that comes without a pause is held as a whole', async () => {
  const held = await hold(arriving('on', 'e'), 3)
  expect(Buffer.from(held.bytes ?? []).toString()).toBe('one')
  expect(await textOf(held.again())).toBe('one')
})

test('an empty piece is whole', async () => {
  expect((await hold(arriving(), 0)).bytes).toEqual(new Uint8Array())
})

test.each([
  ['comes slowly', ['on', 200, 'e'], 'one'],
  ['breaks off', ['on', new Error('broken')], 'on (broken)'],
  ['breaks off after a pause', ['on', 100, new Error('broken')], 'on (broken)'],
  ['ends early', ['on'], 'on'],
  ['is too long', ['on', 'etwo', 'three'], 'onetwothree'],
] as const)('a piece that %s is not, and all of it comes once more', async (_, steps, text) => {
  const held = await hold(arriving(...steps), 3)
  expect(held.bytes).toBeUndefined()
  expect(await textOf(held.again())).toBe(text)
})
