import { expect, test } from 'bun:test'
import { implied, isImplied, offeredPermissions } from './permissions.ts'

const none = {
  admin: false,
  create: false,
  delete: false,
  download: false,
  modify: false,
  execute: false,
  rename: false,
  share: false,
}

test('an administrator may do everything, and nothing of it can be taken away alone', () => {
  const admin = implied({ ...none, admin: true })
  expect(offeredPermissions.filter((name) => admin[name])).toEqual([...offeredPermissions])
  expect(offeredPermissions.filter((name) => isImplied(admin, name))).toEqual(
    offeredPermissions.filter((name) => name !== 'admin'),
  )
})

test('sharing brings downloading along, and only that', () => {
  const sharer = implied({ ...none, share: true })
  expect(sharer).toEqual({ ...none, share: true, download: true })
  expect(offeredPermissions.filter((name) => isImplied(sharer, name))).toEqual(['download'])
})

test('without either, every tick stands for itself', () => {
  expect(implied({ ...none, create: true })).toEqual({ ...none, create: true })
  expect(offeredPermissions.filter((name) => isImplied(none, name))).toEqual([])
})
