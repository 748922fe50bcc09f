import { expect, test } from 'bun:test'
import type { Place } from './place.ts'

Object.assign(globalThis, {
  window: Object.assign(new EventTarget(), { location: new URL('http://server/files/') }),
  history: { replaceState() {} },
  addEventListener() {},
})
const { placeOf, placeQuery } = await import('./place.ts')

test('a place is read from the address that was written for it', () => {
  const places: Place[] = [
    { inside: '/', member: null, encoding: null, shown: null },
    { inside: '/a b/c&d=e', member: null, encoding: null, shown: null },
    { inside: '/100%/ä+#?', member: 'x=1&y.txt', encoding: 'shift_jis', shown: null },
    { inside: '/a', member: 'b', encoding: null, shown: { past: 'k.1', top: '/x & y/a.zip' } },
    { inside: '/', member: null, encoding: null, shown: { past: 's.1.daily=&', top: null } },
  ]
  for (const place of places) expect(placeOf(placeQuery(place))).toEqual(place)
})

test('the top of an archive has the address of the file', () => {
  expect(placeQuery({ inside: '/', member: null, encoding: null, shown: null })).toBe('')
})

test('an address that was written by hand leads nowhere but into the archive', () => {
  expect(placeOf('?inside=../../etc//x/./&encoding=klingon&file=')).toEqual({
    inside: '/etc/x',
    member: null,
    encoding: null,
    shown: null,
  })
})
