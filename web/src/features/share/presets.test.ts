import { expect, test } from 'bun:test'
import { ShareTerms, shareUnits } from '@filestead/contract'
import { byExpiry, endOf, mostOf } from './presets.ts'

test('a duration ends when it should, and zero never does', () => {
  expect(endOf({ amount: 2, unit: 'days' }, 0)?.toISOString()).toBe('1970-01-03T00:00:00.000Z')
  expect(endOf({ amount: 0, unit: 'hours' })).toBeNull()
  expect(endOf({ amount: 2_147_483_647, unit: 'days' })).toBeNull()
})

test('links that stay come first, then the ones that end soonest', () => {
  const links = [{ expire: 30 }, { expire: 0 }, { expire: 10 }]
  expect(links.sort(byExpiry).map(({ expire }) => expire)).toEqual([0, 10, 30])
})

test('what can be asked for is what the server takes', () => {
  const isTaken = (expires: number, unit: string) => ShareTerms.safeParse({ expires, unit }).success
  expect(mostOf('seconds')).toBe(2_147_483_647)
  for (const unit of shareUnits) expect([unit, isTaken(mostOf(unit), unit)]).toEqual([unit, true])
  for (const unit of ['hours', 'days'] as const) expect([unit, isTaken(mostOf(unit) + 1, unit)]).toEqual([unit, false])
})
