import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Settings, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { breakWrites, setReadOnly } from '../../test/broken-writes.ts'
import { testDatabase } from '../../test/database.ts'
import { noThrottle } from '../access/throttle.ts'
import type { Database } from '../database/schema.ts'
import { noSiblings, type Siblings } from '../nodes/siblings.ts'
import { editUser } from '../users/change.ts'
import { verifyPassword } from '../users/passwords.ts'
import { accountNamed, accountWithId } from '../users/store.ts'
import { changeUser, createUser, removeUser } from '../users/users.ts'
import type { Method } from './methods/method.ts'
import { type Sessions, sessionsIn } from './sessions.ts'
import { deleteSessionsOf } from './store.ts'
import { tokensSignedWith } from './tokens.ts'

const settings = Settings.parse({})
const clock = { unixSeconds: () => 1_800_000_000 }
const [old, fresh] = ['correct horse battery', 'another horse battery']
const newPassword = (trx: typeof db, id: number) => deleteSessionsOf(trx, id, { except: undefined })
let db: Kysely<Database>
let ann: User

beforeEach(async () => {
  db = await testDatabase()
  const wanted = User.parse({ username: 'ann', password: old, scope: '/', perm: { admin: true } })
  ann = await createUser({ db, clock }, settings, wanted)
})
afterEach(() => db.destroy())

/** A sign-in; `meanwhile` happens while the password is verified. */
async function signInDuring(happens: () => Promise<unknown>): Promise<number> {
  const method: Method = async () => {
    const account = await accountNamed(db, 'ann')
    if (account === undefined || !(await verifyPassword(old, account.passwordHash))) throw new Error('not ann')
    await happens()
    return account
  }
  const tokens = await tokensSignedWith(new Uint8Array(64))
  const sessions = sessionsIn({ db, clock, tokens, method: async () => method, restrict: (user) => user }, 7200)
  const attempt = { credentials: () => Promise.reject(new Error('not asked')), headers: new Headers() }
  await sessions
    .signIn({
      ...attempt,
      isFromTrustedProxy: false,
      address: '',
      claimed: '',
      isShared: false,
      userAgent: '',
      cancellation: new AbortController().signal,
    })
    .catch((error) => expect(error).toMatchObject({ code: 'wrong-credentials' }))
  return (await db.selectFrom('session').selectAll().execute()).length
}

const changePassword = () => changeUser({ db, clock }, settings, ann.id, { password: fresh }, { newPassword })

test('a sign-in fails when the password is changed while it is verified', async () => {
  expect(await signInDuring(async () => {})).toBe(1)
  expect(await signInDuring(changePassword)).toBe(0)
})

test('a sign-in fails when the user is renamed or removed while the password is verified', async () => {
  expect(await signInDuring(() => changeUser({ db, clock }, settings, ann.id, { username: 'bob' }))).toBe(0)
  await changeUser({ db, clock }, settings, ann.id, { username: 'ann' })
  const boss = User.parse({ username: 'boss', password: old, scope: '/', perm: { admin: true } })
  await createUser({ db, clock }, settings, boss)
  expect(
    await signInDuring(() => removeUser({ db, endGrants: async () => {}, leaveKept: async () => {} }, ann.id)),
  ).toBe(0)
})

test('a change of a user fails when the current password is changed while it is verified', async () => {
  const change = { what: 'user', which: ['password'], current_password: old }
  const meanwhile = async <T>(_target: unknown, check: () => Promise<T>) => {
    const result = await check()
    await changePassword()
    return result
  }
  const throttle = { guard: meanwhile, guardOne: meanwhile }
  const storageAt = () => {
    throw new Error('no files here')
  }
  const stolen = editUser(
    {
      db,
      clock,
      throttle,
      storageAt,
      endSessions: deleteSessionsOf,
      endGrants: async () => {},
      leaveKept: async () => {},
      isTaken: async () => false,
    },
    settings,
    { user: ann, sessionId: 'stolen' },
    ann.id,
    async () => ({
      ...change,
      data: { ...ann, password: 'the password of a thief' },
    }),
  )
  await expect(stolen).rejects.toThrow('the current password is incorrect')
  expect(await verifyPassword(fresh, (await accountWithId(db, ann.id))?.passwordHash)).toBe(true)
})

test('a password changes together with the end of its sessions or not at all', async () => {
  expect(await signInDuring(async () => {})).toBe(1)
  await breakWrites(db, { table: 'session', change: 'delete', message: 'broken' })
  const by = { user: ann, sessionId: 'another' }
  const deps = {
    db,
    clock,
    throttle: noThrottle,
    endSessions: deleteSessionsOf,
    endGrants: async () => {},
    leaveKept: async () => {},
    isTaken: async () => false,
    storageAt: () => Promise.reject(new Error('no files here')) as never,
  }
  const request = { what: 'user', which: ['password'], current_password: old, data: { ...ann, password: fresh } }
  await expect(editUser(deps, settings, by, ann.id, async () => request)).rejects.toThrow('broken')
  expect(await verifyPassword(old, (await accountWithId(db, ann.id))?.passwordHash)).toBe(true)
})

/** Two processes of one server, which can ask each other. */
async function twoProcesses() {
  const handlers = [new Map<string, (value: unknown) => unknown>(), new Map<string, (value: unknown) => unknown>()]
  const siblingsOf = (at: number): Siblings => ({
    ...noSiblings,
    async ask(topic, value) {
      const answer = await handlers[1 - at]?.get(topic)?.(JSON.parse(JSON.stringify(value)))
      return answer === undefined ? [] : [JSON.parse(JSON.stringify(answer))]
    },
    answer: (topic, handler) => void handlers[at]?.set(topic, handler),
  })
  const tokens = await tokensSignedWith(new Uint8Array(64))
  const method: Method = async () => {
    const account = await accountNamed(db, 'ann')
    if (account === undefined) throw new Error('not ann')
    return account
  }
  const make = (at: number) =>
    sessionsIn(
      { db, clock, siblings: siblingsOf(at), tokens, method: async () => method, restrict: (user) => user },
      7200,
    )
  return [make(0), make(1)] as const
}

const attempt = { address: '192.0.2.1', userAgent: 'a test' } as Parameters<Sessions['signIn']>[0]

test('a session that cannot be written counts in every process, and ends in every process', async () => {
  const [first, second] = await twoProcesses()
  const stored = await first.signIn(attempt)
  await setReadOnly(db, true)
  const held = await first.signIn(attempt)
  for (const sessions of [first, second]) expect((await sessions.callerOf(held))?.user.username).toBe('ann')
  const caller = await second.callerOf(held)
  if (caller === undefined) throw new Error('not signed in')
  expect(await second.list(caller)).toHaveLength(2)
  await second.signOut(caller)
  for (const sessions of [first, second]) expect(await sessions.callerOf(held)).toBeUndefined()

  const other = await second.callerOf(stored)
  if (other === undefined) throw new Error('not signed in')
  // Refused, because a restart would bring it back; until then it is ended everywhere.
  expect(
    await second.signOut(other).then(
      () => 'done',
      () => 'refused',
    ),
  ).toBe('refused')
  for (const sessions of [first, second]) expect(await sessions.callerOf(stored)).toBeUndefined()
})
