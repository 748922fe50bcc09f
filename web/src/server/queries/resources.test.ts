import { expect, test } from 'bun:test'

Object.assign(globalThis, { window: new EventTarget() })
const { cache } = await import('./cache.ts')
const { refreshFolders, resourceKey } = await import('./resources.ts')

test('any number of folders can be refreshed at once, and no others are', async () => {
  for (const path of ['/a', '/b']) cache().setQueryData(resourceKey(path), {})
  await refreshFolders(Array.from({ length: 200_000 }, (_, index) => `/new/${index}`).concat('/a'))
  const isOld = (path: string) => cache().getQueryState(resourceKey(path))?.isInvalidated
  expect([isOld('/a'), isOld('/b')]).toEqual([true, false])
})
