import { expect, test } from 'bun:test'
import { Failure } from '../../failure.ts'
import type { Found, OpenFile } from '../port.ts'
import { isSmallFolder, sharedLooks } from './shared-looks.ts'

test('looks of one turn at one folder are one look, and what belongs to one request is not shared', async () => {
  const { share } = sharedLooks(isSmallFolder)
  let looks = 0
  const look = (found: Partial<Found>) => async () => {
    looks += 1
    await Bun.sleep(0)
    return { ...found } as Found
  }
  const listing = look({ entries: [] })
  expect(new Set(await Promise.all([share('a', listing), share('a', listing), share('b', listing)])).size).toBe(2)
  expect(looks).toBe(2)
  // A turn later something may have changed.
  await share('a', listing)
  expect(looks).toBe(3)
  for (const own of [look({ file: {} as OpenFile }), look({ entries: Array(1000) }), look({})]) {
    await Bun.sleep(1)
    looks = 0
    await Promise.all([share('c', own), share('c', own)])
    expect(looks).toBe(2)
  }
  await Bun.sleep(1)
  const failing = () => Promise.reject(new Error('gone'))
  const outcomes = await Promise.allSettled([share('d', failing), share('d', listing)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  await Bun.sleep(1)
  const silent = () => Promise.reject(new Failure('unavailable', 'The disk does not answer'))
  const refused = await Promise.allSettled([share('e', silent), share('e', listing)])
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
