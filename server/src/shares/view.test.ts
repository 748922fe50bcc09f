import { afterAll, expect, test } from 'bun:test'
import { permissionNames, User } from '@filestead/contract'
import { accessTo } from '../access/access.fixture.ts'
import { actorOf } from '../access/actor.ts'
import { parsePath } from '../storage/path.ts'
import { makeHandle, removeFolders } from '../storage/testing/disk.fixture.ts'
import { viewOf } from './view.ts'

afterAll(removeFolders)

test.each(['/pub', '/pub/a.txt'])(
  'a visitor of %s may download and nothing else, whatever the owner may',
  async (path) => {
    const perm = Object.fromEntries(permissionNames.map((name) => [name, true]))
    const owner = actorOf(User.parse({ username: 'alice', scope: '/', perm }), [])
    const { storage, put } = await makeHandle()
    await put({ '/pub/a.txt': 'a' })
    const { scope } = await viewOf(owner, accessTo(storage), parsePath(path))
    expect(Object.entries(scope.actor.user.perm).filter(([, isGiven]) => isGiven)).toEqual([['download', true]])
  },
)
