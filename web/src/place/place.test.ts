import { expect, test } from 'bun:test'
import type { Entry } from '../api/resources.ts'
import { chooseWhenListed, currentPlace, enterFolder, takeArrived } from './place.ts'

test('as many names as a folder may hold can be chosen at once', () => {
  const entries = Array.from({ length: 200_000 }, (_, index) => ({ name: `${index}.txt` }) as Entry)
  chooseWhenListed(
    '/',
    entries.map(({ name }) => name),
  )
  enterFolder('/', entries)
  expect(currentPlace().selection.names.size).toBe(200_000)
  expect(takeArrived()?.name).toBe('0.txt')
})
