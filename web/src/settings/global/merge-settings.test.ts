import { expect, test } from 'bun:test'
import { Conflict, merged } from './merge-settings.ts'

const seen = { signup: false, rules: ['/a'], branding: { name: '', color: '' } }

test('what two people changed in different fields is kept from both', () => {
  const wanted = { ...seen, signup: true, branding: { name: 'Ours', color: '' } }
  const current = { ...seen, rules: ['/a', '/b'], branding: { name: '', color: 'red' } }
  expect(merged(seen, wanted, current)).toEqual({
    signup: true,
    rules: ['/a', '/b'],
    branding: { name: 'Ours', color: 'red' },
  })
})

test('the same change by two people is one', () => {
  const wanted = { ...seen, rules: [] }
  expect(merged(seen, wanted, { ...seen, rules: [] })).toEqual(wanted)
})

test('two changes of one field are refused', () => {
  expect(() => merged(seen, { ...seen, rules: ['/c'] }, { ...seen, rules: [] })).toThrow(Conflict)
})
