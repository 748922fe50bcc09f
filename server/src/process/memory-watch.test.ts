import { expect, test } from 'bun:test'
import { until } from '../../test/process.ts'
import { watchMemory } from './memory-watch.ts'

const megabytes = 1_000_000

test('garbage is collected when the process has grown, and again only after further growth', async () => {
  let resident = 100 * megabytes
  let looks = 0
  let collections = 0
  const watch = watchMemory({
    resident() {
      looks += 1
      return resident
    },
    collect() {
      collections += 1
      resident -= 40 * megabytes
    },
    milliseconds: 1,
  })
  const lookAgain = async () => {
    const before = looks
    await until(() => looks > before + 5)
    return collections
  }
  expect(await lookAgain()).toBe(0)
  resident = 200 * megabytes
  expect(await lookAgain()).toBe(1)
  resident = 170 * megabytes
  expect(await lookAgain()).toBe(1)
  resident = 190 * megabytes
  expect(await lookAgain()).toBe(2)
  watch.stop()
})
