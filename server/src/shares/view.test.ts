import { expect, test } from 'bun:test'
import { User } from '@filestead/contract'
import { actorOf } from '../access/actor.ts'
import { parsePath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { viewOf } from './view.ts'

test.each(['/pub', '/pub/a.txt'])('a visitor of %s has no right of the owner', async (path) => {
  const perm = {
    admin: true,
    execute: true,
    create: true,
    rename: true,
    modify: true,
    delete: true,
    share: true,
    download: true,
  }
  const owner = actorOf(User.parse({ username: 'alice', scope: '/', perm }), [])
  const storage = memoryStorage()
  const bytes = async function* () {
    yield Buffer.from('a')
  }
  await storage.write(parsePath('/pub/a.txt'), bytes(), { precondition: 'absent' })
  const { scope } = await viewOf(owner, storage, parsePath(path))
  expect(Object.entries(scope.actor.user.perm).filter(([, isGiven]) => isGiven)).toEqual([['download', true]])
})
