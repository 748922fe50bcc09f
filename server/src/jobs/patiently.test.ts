import { expect, test } from 'bun:test'
import { Failure } from '../failure.ts'
import { patiently } from './items.ts'

const patience = { longest: 20, between: 1 }

/** A disk that hangs for longer than it is waited for, and then says that it is away. */
async function hanging(progress: (tries: number) => number): Promise<number> {
  let tries = 0
  const run = { signal: new AbortController().signal, done: { files: 0, bytes: 0 } }
  const work = async () => {
    tries += 1
    run.done.bytes = progress(tries)
    await Bun.sleep(2 * patience.longest)
    throw new Failure('unavailable', 'The disk does not answer')
  }
  expect(await patiently(run, work, patience).catch((error) => error.message)).toBe('The disk does not answer')
  return tries
}

test('a disk that hangs with every try is given up by the time, and not by the number of tries', async () => {
  expect(await hanging(() => 0)).toBe(2)
})

test('work that comes further with a try is waited for anew', async () => {
  expect(await hanging((tries) => Math.min(tries, 5))).toBe(6)
})

test('a disk that comes back in time is found', async () => {
  let tries = 0
  const run = { signal: new AbortController().signal, done: { files: 0, bytes: 0 } }
  const work = async () => {
    tries += 1
    if (tries < 4) throw new Failure('unavailable', 'The disk is not there')
    return 'done'
  }
  expect(await patiently(run, work, { longest: 60_000, between: 1 })).toBe('done')
})
