import { expect, test } from 'bun:test'
import { whenIdle } from './idle.ts'

test('rests once after every busy time, and not in the middle of one', async () => {
  let rests = 0
  const idle = whenIdle(() => {
    rests += 1
  }, 20)
  for (let round = 0; round < 10; round += 1) {
    idle.touched()
    await Bun.sleep(5)
  }
  expect(rests).toBe(0)
  await Bun.sleep(150)
  expect(rests).toBe(1)
  idle.touched()
  await Bun.sleep(150)
  expect(rests).toBe(2)
  idle.stop()
})
