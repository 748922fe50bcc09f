import { expect, test } from 'bun:test'
import { until } from '../../test/process.ts'
import { onIdle } from './idle.ts'

test('memory is released once after every busy period, and not during one', async () => {
  let releases = 0
  const idle = onIdle(() => {
    releases += 1
  }, 20)
  for (let round = 0; round < 10; round += 1) {
    idle.touched()
    await Bun.sleep(5)
  }
  expect(releases).toBe(0)
  await Bun.sleep(150)
  expect(releases).toBe(1)
  idle.touched()
  await Bun.sleep(150)
  expect(releases).toBe(2)
  idle.releaseSoon()
  await until(() => releases === 3)
  idle.stop()
})
