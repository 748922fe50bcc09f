import { expect, test } from 'bun:test'
import { taskGroup } from './task-group.ts'

test('no more tasks run at once than the group allows, and wait waits for all of them', async () => {
  const tasks = taskGroup(3)
  let [underWay, most, done] = [0, 0, 0]
  for (let index = 0; index < 20; index += 1)
    await tasks.start(async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await Bun.sleep(index % 4)
      underWay -= 1
      done += 1
    })
  await tasks.wait()
  expect([most, done, underWay]).toEqual([3, 20, 0])
})

test('after a failure no task starts, and running ones are waited for', async () => {
  const tasks = taskGroup(2)
  let done = 0
  const task = async () => {
    await Bun.sleep(20)
    done += 1
  }
  await tasks.start(task)
  await tasks.start(() => Promise.reject(new Error('broken')))
  await Bun.sleep(1)
  await expect(tasks.start(task)).rejects.toThrow('broken')
  await expect(tasks.wait()).rejects.toThrow('broken')
  expect(done).toBe(1)
})
