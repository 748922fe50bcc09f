import { posix } from 'node:path'
import { permissionNames, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { systemClock } from '../../clock.ts'
import { type Given, knownRoot, parseFlags } from '../../config/config.ts'
import type { Database } from '../../database/schema.ts'
import { Failure, isFailure } from '../../failure.ts'
import { endGrantsOf } from '../../grants/grants.ts'
import { allGroups } from '../../groups/store.ts'
import { leaveKeptOf } from '../../history/store.ts'
import { deleteSessionsOf } from '../../sessions/store.ts'
import { accountNamed, accountWithId, allUsers } from '../../users/store.ts'
import { changeUser, createUser, removeUser, requireAccount } from '../../users/users.ts'
import { readStored } from '../config/stored.ts'
import { withDatabase } from '../database.ts'
import { columns, notice, print, printJson } from '../output.ts'
import { giveNewFolders } from '../ownership.ts'
import { readPassword } from '../password-input.ts'
import { storageWhereKnown } from '../storage.ts'
import { AccountFlags, UserFlags, withUserFlags } from './flags.ts'

export const usersAdd = (username: string, givenPassword: string | undefined, given: Given): Promise<void> =>
  withDatabase(given, async (opened) => {
    const password = await readPassword(givenPassword)
    const stored = await readStored(opened.db)
    const { settings } = stored
    const flags = parseFlags(UserFlags, given)
    const wanted = User.parse({
      // Without a folder of their own choice they get what the settings say, which may be one made for them.
      ...withUserFlags({ ...settings.defaults, scope: '' }, flags),
      lockPassword: flags.lockPassword,
      username,
      password,
    })
    const root = knownRoot({ root: given.root }, stored.server, opened.configFile)
    const begun = Date.now()
    const storageAt = await storageWhereKnown(opened, given)
    const user = await createUser({ db: opened.db, clock: systemClock, storageAt }, settings, wanted).catch((error) => {
      throw isFailure(error, 'not-found')
        ? new Failure('not-found', `There is no folder ${root} to make a home in`)
        : error
    })
    if (root !== undefined) giveNewFolders(root, user.scope, begun)
    if (storageAt === undefined && user.scope !== '/')
      notice(
        `The folder ${user.scope} was not made: the served folder is not known. Give --root, or make the folder yourself.`,
      )
    show(user, given)
  })

export const usersUpdate = (who: string, given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => {
    const account = parseFlags(AccountFlags, given)
    const flags = parseFlags(UserFlags, given)
    const user = await userCalled(db, who)
    const { settings } = await readStored(db)
    const derive = (current: User) => ({
      ...withUserFlags(current, flags),
      scope: flags.scope === undefined ? current.scope : posix.join('/', flags.scope),
      lockPassword: flags.lockPassword ?? current.lockPassword,
      username: account.username ?? current.username,
    })
    const changed = { password: account.password === undefined ? '' : await readPassword(account.password) }
    await changeUser({ db, clock: systemClock }, settings, user.id, changed, {
      newPassword: endSessions,
      derive,
    })
    show((await requireAccount(db, user.id)).user, given)
  })

/** Sets a password, for people who have lost theirs. */
export const usersPassword = (who: string, givenPassword: string | undefined, given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => {
    const user = await userCalled(db, who)
    const password = await readPassword(givenPassword)
    if (password === '') throw new Failure('invalid', 'password is empty')
    const { settings } = await readStored(db)
    await changeUser({ db, clock: systemClock }, settings, user.id, { password }, { newPassword: endSessions })
    print(`${JSON.stringify(user.username)} has a new password, and has to sign in again`)
  })

const endSessions = (trx: Kysely<Database>, id: number) => deleteSessionsOf(trx, id, { except: undefined })

export const usersRemove = (who: string, given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => {
    const user = await userCalled(db, who)
    await removeUser({ db, endGrants: endGrantsOf, leaveKept: leaveKeptOf }, user.id)
    print(`Removed user ${user.id}, ${JSON.stringify(user.username)}`)
  })

export const usersList = (given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => {
    const users = await allUsers(db)
    const groupsOf = await groupsByUser(db)
    if (given.json === 'true') printJson(users.map((user) => ({ ...withoutPassword(user), ...groupsOf?.(user) })))
    else print(tableOf(users, groupsOf))
  })

export const usersFind = (who: string, given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => show(await userCalled(db, who), given, await groupsByUser(db)))

/** A number is an id, anything else a name. */
export async function userCalled(db: Kysely<Database>, who: string): Promise<User> {
  const account = /^\d+$/.test(who) ? await accountWithId(db, Number(who)) : await accountNamed(db, who)
  if (account === undefined) throw new Failure('not-found', `There is no user ${JSON.stringify(who)}`)
  return account.user
}

function show(user: User, { json }: Given, groupsOf?: GroupsOf): void {
  if (json === 'true') printJson({ ...withoutPassword(user), ...groupsOf?.(user) })
  else print(tableOf([user], groupsOf))
}

type GroupsOf = (user: User) => { groups: string[] }

/** The names of each user's groups; undefined where there are none, so that scripts read the columns they know. */
async function groupsByUser(db: Kysely<Database>): Promise<GroupsOf | undefined> {
  const groups = await allGroups(db)
  if (groups.length === 0) return undefined
  return ({ id }) => ({ groups: groups.filter(({ members }) => members.includes(id)).map(({ name }) => name) })
}

const withoutPassword = ({ password: _password, ...user }: User) => user

const tableOf = (users: readonly User[], groupsOf?: GroupsOf): string =>
  columns(
    [
      ...['ID', 'Username', 'Scope', 'Locale', 'View mode', 'Single click', 'Redirect after copy/move'],
      ...permissionNames.map((name) => name[0]?.toUpperCase() + name.slice(1)),
      'Password locked',
      ...(groupsOf === undefined ? [] : ['Groups']),
    ],
    users.map((user) => [
      ...[user.id, user.username, user.scope, user.locale, user.viewMode, user.singleClick, user.redirectAfterCopyMove],
      ...permissionNames.map((name) => user.perm[name]),
      user.lockPassword,
      ...(groupsOf === undefined ? [] : [groupsOf(user).groups.join(', ')]),
    ]),
  )
