import { expect, test } from 'bun:test'
import { sideBySide } from './side-by-side.ts'

test('a few works run at once and no more, and the end waits for all of them', async () => {
  const works = sideBySide(3)
  let [underWay, most, done] = [0, 0, 0]
  for (let index = 0; index < 20; index += 1)
    await works.begin(async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await Bun.sleep(index % 4)
      underWay -= 1
      done += 1
    })
  await works.end()
  expect([most, done, underWay]).toEqual([3, 20, 0])
})

test('after a failure nothing new begins, and what is under way is waited for', async () => {
  const works = sideBySide(2)
  let done = 0
  const work = async () => {
    await Bun.sleep(20)
    done += 1
  }
  await works.begin(work)
  await works.begin(() => Promise.reject(new Error('broken')))
  await Bun.sleep(1)
  await expect(works.begin(work)).rejects.toThrow('broken')
  await expect(works.end()).rejects.toThrow('broken')
  expect(done).toBe(1)
})
