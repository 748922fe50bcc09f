import { expect, test } from 'bun:test'

Object.assign(globalThis, { window: new EventTarget() })
const { namesByFolder } = await import('./arrivals.ts')

test('every folder between the file and the one it was sent to shows something new', () => {
  const found = namesByFolder([
    { path: '/box/trip/day 1/a.jpg', into: '/box' },
    { path: '/box/trip/day 1/b.jpg', into: '/box' },
    { path: '/box/trip/plan.txt', into: '/box' },
    { path: '/top.txt', into: '/' },
  ])
  expect(Object.fromEntries([...found].map(([folder, names]) => [folder, [...names]]))).toEqual({
    '/box/trip/day 1': ['a.jpg', 'b.jpg'],
    '/box/trip': ['day 1', 'plan.txt'],
    '/box': ['trip'],
    '/': ['top.txt'],
  })
})
