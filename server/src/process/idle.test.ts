import { expect, test } from 'bun:test'
import { until } from '../../test/process.ts'
import { onIdle } from './idle.ts'

test('memory is released once after every busy period, and not during one', async () => {
  let releases = 0
  const idle = onIdle(
    () => {
      releases += 1
    },
    { every: 20, resident: () => 1, worked: () => 0 },
  )
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

test('memory that grows without a request is released as well, and a failure ends nothing', async () => {
  let releases = 0
  let resident = 50_000_000
  let worked = 0
  let perLook = 0
  const idle = onIdle(
    () => {
      releases += 1
      resident = 50_000_000
      if (releases === 3) throw new Error('no descriptor is free')
    },
    {
      every: 20,
      resident: () => resident,
      worked() {
        worked += perLook
        return worked
      },
    },
  )
  await until(() => releases === 1)
  resident = 55_000_000
  await Bun.sleep(100)
  expect(releases).toBe(1)
  // A job is at work.
  perLook = 10_000
  resident = 75_000_000
  await Bun.sleep(100)
  expect(releases).toBe(1)
  perLook = 100
  await until(() => releases === 2)
  idle.touched()
  await until(() => releases === 3)
  await Bun.sleep(100)
  expect(releases).toBe(3)
  idle.touched()
  await until(() => releases === 4)
  idle.stop()
})
