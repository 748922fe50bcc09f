import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { Settings, User } from '@filestead/contract'
import type { Transaction } from 'kysely'
import { systemClock } from '../src/clock.ts'
import { openDatabase } from '../src/database/open.ts'
import { type OpenDatabase, transaction } from '../src/database/port.ts'
import type { Database, JobPlanRow, JobRow } from '../src/database/schema.ts'
import { claimJob, insertJob } from '../src/jobs/store.ts'
import { addMount } from '../src/mounting/mounts.ts'
import { deleteSessionsOf, insertSession } from '../src/sessions/store.ts'
import { changeUser, createFromDefaults, createUser, removeUser } from '../src/users/users.ts'
import { type Postgres, startPostgres } from './postgres.ts'

const postgres = await startPostgres()

/** Two nodes over one database, each with connections of its own. */
let nodes: [OpenDatabase, OpenDatabase]
let count = 0

beforeEach(async () => {
  if (postgres === undefined) return
  await closeNodes()
  const address = await made(postgres)
  nodes = [await openDatabase(address), await openDatabase(address)]
})
const closeNodes = () => Promise.all((nodes ?? []).map((db) => db.destroy()))
afterAll(async () => {
  await closeNodes()
  postgres?.end()
})

function made({ make }: Postgres): Promise<string> {
  count += 1
  return make(`isolation_${count}`)
}

const clock = systemClock
const settings = Settings.parse({ createUserDir: true, signup: true })
const wanted = (username: string, wishes: Partial<User> = {}) =>
  User.parse({ ...settings.defaults, scope: '/', username, password: 'correct horse battery', ...wishes })
const admin = { ...settings.defaults.perm, admin: true }
const add = (db: OpenDatabase, user: User) => createUser({ db, clock }, settings, user, { readyHash: 'none' })

/** Both begin at once, over and over: which one of them is first is chance. */
async function rounds(times: number, round: (index: number) => Promise<void>): Promise<void> {
  for (let index = 0; index < times; index += 1) await round(index)
}

const outcomes = async (...works: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(works)).map(({ status }) => status)

describe.skipIf(postgres === undefined)('what two nodes do at once', () => {
  test('leaves one administrator, whichever of two is removed or steps down', async () => {
    const ends = { endGrants: async () => {}, leaveKept: async () => {} }
    await rounds(10, async (index) => {
      const [one, two] = nodes
      const all = [
        await add(one, wanted(`a${index}`, { perm: admin })),
        await add(one, wanted(`b${index}`, { perm: admin })),
      ]
      const [a, b] = all.map(({ id }) => id) as [number, number]
      const stepDown = () => changeUser({ db: two, clock }, settings, b, { perm: { ...admin, admin: false } })
      const second = index % 2 === 0 ? stepDown : () => removeUser({ db: two, ...ends }, b)
      const results = await outcomes(removeUser({ db: one, ...ends }, a), second())
      const left = await one.selectFrom('user').select(['id', 'profile']).execute()
      expect(left.filter(({ profile }) => JSON.parse(profile).perm.admin)).toHaveLength(1)
      expect(results).toContain('fulfilled')
      await one.deleteFrom('user').execute()
    })
  })

  test('gives a home, and a name, to one of two accounts', async () => {
    await rounds(10, async (index) => {
      const [one, two] = nodes
      // Names that differ may have one home: it has only characters that every disk takes.
      const signUp = (db: OpenDatabase, username: string) =>
        createFromDefaults({ db, clock } as never, settings, { username, password: 'correct horse battery' })
      const results = await outcomes(
        signUp(one, `ann ${index}`),
        signUp(two, index % 2 === 0 ? `ann!${index}` : `ann ${index}`),
      )
      expect(results.toSorted()).toEqual(['fulfilled', 'rejected'])
      const scopes = (await one.selectFrom('user').select('scope').execute()).map(({ scope }) => scope)
      expect(new Set(scopes).size).toBe(scopes.length)
    })
  })

  test('makes one of two mounts of the same name', async () => {
    await rounds(5, async (index) => {
      const mount = { name: `Photos ${index}`, folder: '/srv', links: 'inside', readOnly: false } as const
      const deps = { root: undefined, dropDrafts: async () => {}, checkedFolder: async () => `/srv/${index}` }
      const results = await outcomes(...nodes.map((db) => addMount({ db, ...deps }, mount)))
      const named = await nodes[0].selectFrom('mount').select('id').where('name', '=', mount.name).execute()
      expect(named.length).toBe(results.filter((status) => status === 'fulfilled').length)
      expect(named).toHaveLength(1)
    })
  })

  test('runs a job once, and takes one that is asked for twice once', async () => {
    await rounds(10, async (index) => {
      const row = (id: string) => ({ ...job, id, summary: JSON.stringify({ asked: `ask-${index}`, count: 1 }) })
      const rows = await Promise.all(nodes.map((db, at) => insertJob(db, row(`${index}-${at}`), `ask-${index}`)))
      expect(new Set(rows.map(({ id }) => id)).size).toBe(1)
      const [id = ''] = rows.map((one) => one.id)
      const claimed = await Promise.all(nodes.map((db, at) => claimJob(db, id, `node ${at}`, 0)))
      expect(claimed.filter((one) => one !== undefined)).toHaveLength(1)
    })
  })

  test("is carried out, however many get in each other's way", async () => {
    const [one, two] = nodes
    const add = (db: OpenDatabase) =>
      transaction(db, 'serializable', async (trx) => {
        const { value } = await trx
          .selectFrom('counter')
          .select('value')
          .where('name', '=', 'probe')
          .executeTakeFirstOrThrow()
        await trx
          .updateTable('counter')
          .set({ value: value + 1 })
          .where('name', '=', 'probe')
          .execute()
      })
    await one.insertInto('counter').values({ name: 'probe', value: 0 }).execute()
    const results = await outcomes(...Array.from({ length: 150 }, (_, index) => add(index % 5 === 0 ? two : one)))
    expect(results.filter((status) => status === 'rejected')).toEqual([])
    const { value } = await one
      .selectFrom('counter')
      .select('value')
      .where('name', '=', 'probe')
      .executeTakeFirstOrThrow()
    expect(value).toBe(150)
  })

  test('lets nobody in with a password that is changed meanwhile', async () => {
    const [one, two] = nodes
    const { id } = await add(one, wanted('ann'))
    const { password_hash: passwordHash } = await one
      .selectFrom('user')
      .select('password_hash')
      .executeTakeFirstOrThrow()
    const session = {
      ...{ id: 'a', user_id: id, created_at: 0, last_used_at: 0, expires_at: 0 },
      ...{ address: '', user_agent: '' },
    }
    let signedIn: boolean | undefined
    const newPassword = async (trx: Transaction<Database>) => {
      await deleteSessionsOf(trx, id, { except: undefined })
      // Behind the end of the sessions, before the new password can be seen.
      signedIn ??= await insertSession(two, session, { username: 'ann', passwordHash })
    }
    await changeUser({ db: one, clock }, settings, id, { password: 'another long password' }, { newPassword })
    expect(signedIn).toBe(true)
    expect(await one.selectFrom('session').selectAll().execute()).toEqual([])
  })
})

const job: JobRow & Pick<JobPlanRow, 'plan'> = {
  ...{ id: '', user_id: 1, kind: 'copy', plan: '{}', summary: '{}', state: 'queued', choices: '{}', cursor: 0 },
  ...{ notes: '{}', files_done: 0, bytes_done: 0, files_total: null, bytes_total: null, problem: null },
  ...{ message: null, node: null, created_at: 0, started_at: null, ended_at: null },
}
