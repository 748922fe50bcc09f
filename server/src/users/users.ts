import type { Settings, User } from '@filestead/contract'
import type { Kysely, Transaction } from 'kysely'
import { normaliseRules } from '../access/rules.ts'
import type { Clock } from '../clock.ts'
import { durableTransaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import type { Storage } from '../storage/port.ts'
import { newHome, requireUnshared, type Stranger, scopeFolder, scopeFor } from './home.ts'
import { hashPassword, requireGoodPassword } from './passwords.ts'
import { type Account, accountNamed, accountWithId, allUsers, deleteUser, insertUser, saveUser } from './store.ts'

export interface UserDeps {
  db: Kysely<Database>
  clock: Clock
  storageAt(scope: string): Storage
}

/** The command line may run where the root is not reachable; without a storage no home is made. */
type CreationDeps = Omit<UserDeps, 'storageAt'> & Partial<Pick<UserDeps, 'storageAt'>>

interface CreationOptions {
  isSelfService?: boolean
  /** A folder named after the user, also where the settings make none. */
  hasOwnFolder?: boolean
  /** Of a sign-up. */
  stranger?: Stranger | undefined
  /** The network of a client that has not signed in: its lane in the queue for hashing. */
  network?: string | undefined
  /** Stored without the checks of a password, which cannot be read from it. */
  readyHash?: string
  /** Another program has checked the password by its own rules. */
  isVouchedFor?: boolean
  provided?: Precondition
}

/** A precondition that is checked in the transaction of a change; throws where it does not hold. */
type Precondition = (trx: Kysely<Database>) => Promise<void>

const always: Precondition = async () => {}

/** Creates a user as an administrator describes one. */
export async function createUser(
  { db, clock, storageAt }: CreationDeps,
  settings: Settings,
  wanted: User,
  {
    isSelfService = false,
    hasOwnFolder = false,
    stranger,
    network,
    readyHash,
    isVouchedFor = false,
    provided = always,
  }: CreationOptions = {},
): Promise<User> {
  if (readyHash === undefined) await requireGoodPassword(settings, wanted.password, { isVouchedFor })
  const { scope, isOwn } = scopeFor(settings, wanted, { isSelfService, hasOwnFolder })
  const user = complete({ ...wanted, scope })
  const passwordHash = readyHash ?? (await hashPassword(wanted.password, network))
  const insert = (trx: Transaction<Database>) => insertUser(trx, { user, passwordHash, changedAt: clock.unixSeconds() })
  const requireFree = async (trx: Kysely<Database>) => {
    await provided(trx)
    await requireUniqueName(trx, user)
    if (isOwn) requireUnshared(scope, await allUsers(trx))
  }
  // A user whose folder cannot be made is not made either. The folder comes first: a disk that does not answer must not
  // keep a transaction open, which every other write waits for.
  await requireFree(db)
  const home = storageAt === undefined ? undefined : await newHome(storageAt('/'), scope, isOwn ? stranger : undefined)
  try {
    const id = await durableTransaction(db, 'serializable', async (trx) => {
      await requireFree(trx)
      return insert(trx)
    })
    return { ...user, id, password: '' }
  } catch (error) {
    const isOwned = (await allUsers(db)).some((other) => other.scope === scope)
    if (!isOwned) await home?.removeIfEmpty().catch(() => {})
    throw error
  }
}

export interface Newcomer {
  username: string
  password: string
  network?: string
  lockPassword?: boolean
}

/** An account made without an administrator: the defaults, and never the permissions of administrators and commands. */
export async function createFromDefaults(
  deps: UserDeps,
  settings: Settings,
  { username, password, network, lockPassword = false }: Newcomer,
  { stranger, isVouchedFor = false }: Pick<CreationOptions, 'stranger' | 'isVouchedFor'> = {},
): Promise<User> {
  if (!isShowable(username)) throw new Failure('invalid', 'username holds characters that cannot be shown')
  const { defaults, createUserDir } = settings
  const user = {
    ...defaults,
    id: 0,
    username,
    password,
    scope: createUserDir ? '' : defaults.scope,
    lockPassword,
    rules: [],
    commands: [],
    perm: { ...defaults.perm, admin: false, execute: false },
  }
  return createUser(deps, settings, user, { isSelfService: true, stranger, isVouchedFor, network })
}

/** False for control characters, line ends, bidi marks and lone surrogates: a name could look like another, or break a line of the log. */
export const isShowable = (name: string): boolean =>
  !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069\u200e\u200f]/u.test(name)

export async function signUp(deps: UserDeps & Stranger, settings: Settings, newcomer: Newcomer): Promise<User> {
  if (!settings.signup) throw new Failure('not-allowed-here', 'Signing up is switched off')
  return createFromDefaults(deps, settings, newcomer, { stranger: deps })
}

interface ChangeOptions {
  /** Called in the same transaction when the password is a new one: the sessions of the old one end with it. */
  newPassword?(trx: Transaction<Database>, id: number): Promise<void>
  provided?: Precondition
  /** As for a new user. */
  isVouchedFor?: boolean
  /** Computed from the stored user inside the transaction, so that changes made meanwhile are kept. */
  derive?(current: User): Partial<User>
}

/** Replaces fields of a user. Unique names and the last administrator are checked in the same transaction. */
export async function changeUser(
  { db, clock }: Pick<UserDeps, 'db' | 'clock'>,
  settings: Settings,
  id: number,
  changed: Partial<User>,
  { newPassword, provided = always, isVouchedFor = false, derive = () => ({}) }: ChangeOptions = {},
): Promise<void> {
  if (changed.password) await requireGoodPassword(settings, changed.password, { isVouchedFor })
  const passwordHash = changed.password ? await hashPassword(changed.password) : undefined
  await durableTransaction(db, 'serializable', async (trx) => {
    await provided(trx)
    const account = await requireAccount(trx, id)
    const user = complete({ ...account.user, ...derive(account.user), ...changed, id })
    await requireUniqueName(trx, user)
    if (account.user.perm.admin && !user.perm.admin)
      await requireOtherAdmin(trx, id, 'The last administrator cannot step down')
    await saveUser(trx, {
      user,
      passwordHash: passwordHash ?? account.passwordHash,
      changedAt: clock.unixSeconds(),
    })
    if (passwordHash !== undefined) await newPassword?.(trx, id)
  })
}

export interface RemovalDeps extends Pick<UserDeps, 'db'> {
  /** Ends the grants of a user, in the transaction that removes it. */
  endGrants(trx: Transaction<Database>, subject: `user:${number}`): Promise<void>
  /** What the user has removed or replaced is kept on, and is no account's. */
  leaveKept(trx: Transaction<Database>, id: number): Promise<void>
}

export async function removeUser(
  { db, endGrants, leaveKept }: RemovalDeps,
  id: number,
  { provided = always }: Pick<ChangeOptions, 'provided'> = {},
): Promise<void> {
  await durableTransaction(db, 'serializable', async (trx) => {
    await provided(trx)
    const { user } = await requireAccount(trx, id)
    if (user.perm.admin) await requireOtherAdmin(trx, id, 'The last administrator cannot be removed')
    await endGrants(trx, `user:${id}`)
    await leaveKept(trx, id)
    await deleteUser(trx, id)
  })
}

export async function requireAccount(db: Kysely<Database>, id: number): Promise<Account> {
  const account = await accountWithId(db, id)
  if (account === undefined) throw new Failure('not-found', 'There is no such user')
  return account
}

/** A user as it is stored: with defaults for empty fields, and refused where its permissions contradict each other. */
function complete(user: User): User {
  if (user.username.trim() === '') throw new Failure('invalid', 'username is empty')
  if (user.perm.share && !user.perm.download)
    throw new Failure('invalid', 'permission to share requires permission to download')
  return {
    ...user,
    viewMode: user.viewMode || 'list',
    sorting: { ...user.sorting, by: user.sorting.by || 'name' },
    scope: scopeFolder(user.scope),
    rules: normaliseRules(user.rules),
    // An administrator can change every password, so the flag would have no effect.
    lockPassword: user.lockPassword && !user.perm.admin,
  }
}

async function requireUniqueName(db: Kysely<Database>, { id, username }: User): Promise<void> {
  const account = await accountNamed(db, username)
  if (account !== undefined && account.user.id !== id) throw new Failure('already-exists', 'This username is taken')
}

async function requireOtherAdmin(trx: Kysely<Database>, id: number, message: string): Promise<void> {
  const users = await allUsers(trx)
  if (!users.some((user) => user.id !== id && user.perm.admin)) throw new Failure('forbidden', message)
}
