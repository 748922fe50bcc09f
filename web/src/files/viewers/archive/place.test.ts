import { expect, test } from 'bun:test'
import { type Place, placeOf, placeQuery } from './place.ts'

test('a place is read from the address that was written for it', () => {
  const places: Place[] = [
    { inside: '/', member: null, encoding: null },
    { inside: '/a b/c&d=e', member: null, encoding: null },
    { inside: '/100%/ä+#?', member: 'x=1&y.txt', encoding: 'shift_jis' },
  ]
  for (const place of places) expect(placeOf(placeQuery(place))).toEqual(place)
})

test('the top of an archive has the address of the file', () => {
  expect(placeQuery({ inside: '/', member: null, encoding: null })).toBe('')
})

test('an address that was written by hand leads nowhere but into the archive', () => {
  expect(placeOf('?inside=../../etc//x/./&encoding=klingon&file=')).toEqual({
    inside: '/etc/x',
    member: null,
    encoding: null,
  })
})
