import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Settings, ShareTerms, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { testDatabase } from '../../test/database.ts'
import { readerOf } from '../access/access.fixture.ts'
import { actorOf } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { groupCommit } from '../changes/group-commit.ts'
import { journalIn } from '../changes/journal.ts'
import type { Changes } from '../changes/pipeline.ts'
import { moveEntry, removeEntry } from '../changes/verbs.ts'
import type { Database } from '../database/schema.ts'
import { pathIn } from '../mounts/location.ts'
import { parsePath, type VirtualPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { createUser } from '../users/users.ts'
import { shareFollower } from './follow.ts'
import { createShare } from './shares.ts'
import { allShares } from './store.ts'

const clock = { unixSeconds: () => 0 }
let db: Kysely<Database>
let user: User

beforeEach(async () => {
  db = await testDatabase()
  const perm = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
  const wanted = User.parse({ username: 'alice', scope: '/', perm })
  user = await createUser({ db, clock }, Settings.parse({}), wanted, { readyHash: 'none' })
})
afterEach(() => db.destroy())

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
const write = (storage: Storage, path: VirtualPath, text: string) =>
  storage.write(path, bytesOf(text), { precondition: 'any' })

/** Something else happens before each call of the storage, which this hears of. */
interface Around {
  before(): Promise<void>
  after?(verb: string): Promise<void>
}

const heard = (storage: Storage, around: Around): Storage =>
  new Proxy(storage, {
    get(target, verb: keyof Storage) {
      if (verb === 'capabilities') return target.capabilities
      if (verb === 'beneath') return (...args: Parameters<Storage['beneath']>) => heard(target.beneath(...args), around)
      const call = target[verb] as (...args: unknown[]) => Promise<unknown>
      return async (...args: unknown[]) => {
        await around.before()
        const result = await call(...args)
        await around.after?.(verb)
        return result
      }
    },
  })

/** One of several servers over the same files. */
function serverOver(files: Storage, before = async () => {}) {
  const storage = heard(files, { before })
  const node = { id: Bun.randomUUIDv7(), isAlive: () => true }
  const access = readerOf(storage)
  const storageAt = () => storage
  const follower = shareFollower({ db, node, storageAt, access, isOneOfSeveral: true })
  const store = groupCommit(db)
  async function commit(rows: Parameters<typeof store>[0]) {
    await before()
    await store(rows)
    await before()
  }
  const journal = journalIn({ db, clock, node, log: { warn() {} }, followers: [follower], commit })
  const changes: Changes = { door: 'web', journal, hooks: undefined, realPath: async () => '' }
  return {
    changes,
    scope: scopeOf(actorOf(user, []), storage),
    /** Answers with the text of the file that it has found and shared. */
    async share(): Promise<string> {
      let found = ''
      const after = async (verb: string) => {
        if (verb === 'stat') found ||= await textAt(files, a)
      }
      const scope = scopeOf(actorOf(user, []), heard(files, { before, after }))
      const deps = { db, clock, storageAt, access, watchChanges: follower.watchChanges }
      await createShare(deps, scope, a, ShareTerms.parse({})).catch(() => {})
      return found
    },
  }
}

type Server = ReturnType<typeof serverOver>
const [a, b, c] = [parsePath('/d/a.txt'), parsePath('/d/b.txt'), parsePath('/c.txt')]
const [d, e] = [parsePath('/d'), parsePath('/e')]
const move = ({ changes, scope }: Server, from: VirtualPath, to: VirtualPath) =>
  moveEntry(changes, scope, { from, to, onConflict: 'overwrite' })

/** What happens to the file that is shared meanwhile. */
const ways: [string, (server: Server) => Promise<unknown>][] = [
  ['moves its file', (server) => move(server, a, b)],
  ['moves the folder of its file', (server) => move(server, d, e)],
  ['removes its file', ({ changes, scope }) => removeEntry(changes, scope, a)],
  ['replaces its file', (server) => move(server, c, a)],
]

const textAt = async (storage: Storage, path: VirtualPath): Promise<string> =>
  (await (await storage.open(path).catch(() => undefined))?.content.text()) ?? ''

async function someFiles(): Promise<Storage> {
  const storage = memoryStorage()
  await db.deleteFrom('share').execute()
  await write(storage, a, 'mine')
  await write(storage, c, 'of somebody else')
  return storage
}

/** What visitors see of all links. */
async function shown(storage: Storage): Promise<string> {
  const texts: string[] = []
  for (const { location, isShut } of await allShares(db))
    texts.push(isShut ? '' : await textAt(storage, pathIn(location)))
  return texts.join()
}

/** Puts another file where there is none any more. */
const replace = async (storage: Storage) =>
  (await textAt(storage, a)) === '' ? write(storage, a, 'PRIVATE') : undefined

test.each(ways)('a link made at any moment while another server %s shows no other file', async (_, change) => {
  for (let at = 1, calls = at; calls >= at; at += 1) {
    const storage = await someFiles()
    calls = 0
    let found = ''
    const changer = serverOver(storage, async () => {
      calls += 1
      if (calls === at) found = await serverOver(storage).share()
    })
    await change(changer)
    await replace(storage)
    expect(['', found]).toContain(await shown(storage))
  }
})

test.each(ways)('a link shows no other file when another server %s at any moment of its making', async (_, change) => {
  for (let at = 1, calls = at; calls >= at; at += 1) {
    const storage = await someFiles()
    calls = 0
    const maker = serverOver(storage, async () => {
      calls += 1
      if (calls !== at) return
      await change(serverOver(storage))
      await replace(storage)
    })
    const found = await maker.share()
    await replace(storage)
    expect(['', found]).toContain(await shown(storage))
  }
})
