import { expect, test } from 'bun:test'
import { QueryObserver } from '@tanstack/react-query'

Object.assign(globalThis, { window: new EventTarget() })
const { cache } = await import('./cache.ts')
const { refreshFolders, resourceKey } = await import('./resources.ts')

test('any number of folders can be refreshed at once, and no others are', async () => {
  for (const path of ['/a', '/b']) cache().setQueryData(resourceKey(path), {})
  await refreshFolders(Array.from({ length: 200_000 }, (_, index) => `/new/${index}`).concat('/a'))
  const isOld = (path: string) => cache().getQueryState(resourceKey(path))?.isInvalidated
  expect([isOld('/a'), isOld('/b')]).toEqual([true, false])
})

test('of listings that were left, the newest and those that fit beside it stay in memory; one that is shown always does', () => {
  cache().clear()
  let at = 1000
  const visit = (path: string, length: number) => {
    at += 1
    cache().setQueryData(resourceKey(path), { items: Array(length) }, { updatedAt: at })
    return new QueryObserver(cache(), { queryKey: resourceKey(path), enabled: false }).subscribe(() => {})
  }
  const isKnown = (path: string) => cache().getQueryData(resourceKey(path)) !== undefined
  const leaveShown = visit('/shown', 70_000)
  visit('/small', 10)()
  visit('/first', 60_000)()
  visit('/second', 200_000)()
  expect(['/shown', '/small', '/first', '/second'].map(isKnown)).toEqual([true, true, false, true])
  visit('/third', 40_000)()
  expect(['/shown', '/small', '/second', '/third'].map(isKnown)).toEqual([true, true, false, true])
  leaveShown()
  expect(['/shown', '/small', '/third'].map(isKnown)).toEqual([false, true, true])
})
