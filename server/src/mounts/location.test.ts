import { expect, test } from 'bun:test'
import { isFailure } from '../failure.ts'
import type { VirtualPath } from '../storage/path.ts'
import { below, isWithin, locationIn, mountOf, parseLocation, pathIn, relativeTo } from './location.ts'

const path = (text: string) => text as VirtualPath

test('a location is a path in the first mount, and has the number of any other', () => {
  expect(locationIn(1, path('/a/b'))).toBe(parseLocation('/a/b'))
  expect(locationIn(12, path('/a/b'))).toBe(parseLocation('12:/a/b'))
  for (const [text, mount, inside] of [
    ['/', 1, '/'],
    ['/3:/x', 1, '/3:/x'],
    ['12:/', 12, '/'],
    ['2:/a:b', 2, '/a:b'],
  ] as const) {
    expect([mountOf(parseLocation(text)), pathIn(parseLocation(text))]).toEqual([mount, path(inside)])
  }
})

test('what is within a folder is in the same mount, and whole names count', () => {
  const within = (one: string, two: string) => isWithin(parseLocation(one), parseLocation(two))
  expect([within('/a', '/'), within('2:/a', '/'), within('2:/a', '2:/'), within('2:/ab', '2:/a')]).toEqual([
    true,
    false,
    true,
    false,
  ])
})

test('a path below a folder leads back to it', () => {
  for (const folder of ['/', '/a', '2:/', '2:/a'].map(parseLocation))
    for (const inside of ['/', '/x', '/x/y'].map(path)) expect(relativeTo(folder, below(folder, inside))).toBe(inside)
})

test('a text that is no location is refused', () => {
  for (const text of ['', 'a', '0:/a', '2:a', ':/a', '2:/../a']) expect(refusalOf(() => parseLocation(text))).toBe(true)
})

function refusalOf(work: () => unknown): boolean {
  try {
    work()
    return false
  } catch (error) {
    return isFailure(error, 'invalid')
  }
}
