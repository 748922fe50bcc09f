import { expect, test } from 'bun:test'
import { Settings, User } from '@filestead/contract'
import { testDatabase } from '../../test/database.ts'
import { parseLocation } from '../mounts/location.ts'
import { createUser } from '../users/users.ts'
import { expirySweep } from './expire.ts'
import { insertShare, shareWithHash } from './store.ts'

const day = 86_400

test('the sweep keeps links while the clock is wrong for a moment, and deletes those that expired long ago', async () => {
  const db = await testDatabase()
  let [now, running] = [1_700_000_000, 0]
  const clock = { unixSeconds: () => now }
  const user = await createUser({ db, clock }, Settings.parse({}), User.parse({ username: 'a', scope: '/' }), {
    readyHash: 'none',
  })
  const link = { hash: 'monthly', userID: user.id, expire: now + 30 * day, hasPassword: false }
  const share = { link, location: parseLocation('/a'), passwordHash: '', isThroughSymlink: false }
  await insertShare(db, share)
  await insertShare(db, { ...share, link: { ...link, hash: 'permanent', expire: 0 } })
  const sweep = expirySweep({ db, clock }, () => running)

  const right = now
  for (const ahead of [365 * day, 0, 365 * day, 0, 365 * day]) {
    now = right + ahead
    await sweep()
    running += 13 * 3_600_000
  }
  expect(await shareWithHash(db, 'monthly')).toBeDefined()

  now = right + 36 * day
  await sweep()
  running += 48 * 3_600_000
  await sweep()
  expect(await shareWithHash(db, 'monthly')).toBeDefined()

  now = right + 38 * day
  await sweep()
  running += 25 * 3_600_000
  await sweep()
  expect(await shareWithHash(db, 'monthly')).toBeUndefined()
  expect(await shareWithHash(db, 'permanent')).toBeDefined()
  await db.destroy()
})
