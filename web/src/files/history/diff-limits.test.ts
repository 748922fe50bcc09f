import { expect, test } from 'bun:test'
import { Chunk, diff } from '@codemirror/merge'
import { Text } from '@codemirror/state'
import { diffLimits } from './diff-limits.ts'

/** The same numbers in every run. */
function* randoms(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    yield state / 2 ** 32
  }
}

/** A text, and the same text with some of its lines changed, added and removed. */
function twoTexts(seed: number): [string, string] {
  const random = randoms(seed)
  const below = (most: number) => Math.floor(random.next().value * most)
  const line = () => Array.from({ length: below(6) }, () => ['a', 'b', ' ', 'ü', '😀'][below(5)]).join('')
  const before = Array.from({ length: below(30) }, line)
  const after = before.flatMap((own) => [[own], [own], [own], [], [line()], [own, line()]][below(6)] ?? [])
  return [before.join('\n'), after.join('\n')]
}

test('what is not marked is equal on both sides, for any two texts', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const [before, after] = twoTexts(seed)
    let [from, to, rebuilt] = [0, 0, '']
    for (const { fromA, toA, fromB, toB } of diff(before, after, diffLimits)) {
      expect(before.slice(from, fromA)).toBe(after.slice(to, fromB))
      rebuilt += before.slice(from, fromA) + after.slice(fromB, toB)
      from = toA
      to = toB
    }
    expect(rebuilt + before.slice(from)).toBe(after)
  }
})

test('there is a difference exactly where two texts differ', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const [before, after] = twoTexts(seed)
    const chunks = Chunk.build(Text.of(before.split('\n')), Text.of(after.split('\n')), diffLimits)
    expect(chunks.length > 0).toBe(before !== after)
  }
})

test('two texts of ten thousand lines that have nothing in common come to an end', () => {
  const lines = (letter: string) => Array.from({ length: 10_000 }, (_, at) => `${letter}${(at * 7919) % 10_007}`)
  const [before, after] = [Text.of(lines('x ')), Text.of(lines('y '))]
  const chunks = Chunk.build(before, after, diffLimits)
  expect(chunks.length).toBeGreaterThan(0)
  expect(chunks.at(-1)?.endB).toBe(after.length)
})
