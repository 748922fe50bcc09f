import { expect, test } from 'bun:test'
import { httpDate } from './downloads.ts'

test.each([
  [0, 'Thu, 01 Jan 1970 00:00:00 GMT'],
  [-1, 'Wed, 31 Dec 1969 23:59:59 GMT'],
  [1e15, 'Fri, 31 Dec 9999 23:59:59 GMT'],
  [-1e15, 'Wed, 01 Jan 1000 00:00:00 GMT'],
])('%d is a date that every client can read', (seconds, date) => {
  expect(httpDate({ seconds })).toBe(date)
})
