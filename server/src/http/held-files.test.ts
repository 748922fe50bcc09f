import { expect, test } from 'bun:test'
import { heldFiles } from './held-files.ts'

function files(count: number) {
  const closed: number[] = []
  const all = Array.from({ length: count }, (_, index) => ({ close: () => void closed.push(index) }))
  return { all, closed }
}

test('a file is closed after a while, and not at the next turn', async () => {
  const { all, closed } = files(3)
  const held = heldFiles(10, 400)
  for (const file of all) held.hold(file)
  for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(closed).toEqual([])
  for (let tries = 0; closed.length < 3 && tries < 500; tries += 1) await Bun.sleep(10)
  expect(closed).toEqual([0, 1, 2])
})

test('of too many the oldest are closed first, but none in its turn, and all when the server stops', async () => {
  const { all, closed } = files(5)
  const held = heldFiles(3, 60_000)
  for (const file of all) held.hold(file)
  expect(closed).toEqual([])
  for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(closed).toEqual([0, 1])
  held.closeAll()
  held.closeAll()
  expect(closed).toEqual([0, 1, 2, 3, 4])
})
