import { type Settings, type User, type UserRemoval, type UserRequest, User as UserSchema } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { notAllowed } from '../access/lookup.ts'
import type { Throttle } from '../access/throttle.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import type { Stranger } from './home.ts'
import { verifyPassword } from './passwords.ts'
import { changeUser, createUser, type RemovalDeps, removeUser, requireAccount, type UserDeps } from './users.ts'

/** The signed-in user of the request. */
export interface Requester {
  user: User
  sessionId: string
}

export interface ChangeDeps extends UserDeps, RemovalDeps, Stranger {
  throttle: Throttle
  /** Ends the sessions of a user but for one. */
  endSessions(trx: Kysely<Database>, id: number, options: { except: string | undefined }): Promise<void>
}

type Field = Exclude<keyof User, 'id'>

const fields = Object.keys(UserSchema.shape).filter((name): name is Field => name !== 'id')

/** Fields that only an administrator may change. */
const adminFields: readonly Field[] = ['username', 'scope', 'lockPassword', 'perm', 'commands', 'rules']

/** Fields that need the current password: a stolen session must not be enough to change them. */
const guardedFields: readonly Field[] = [...adminFields, 'password']

export async function addUser(
  deps: ChangeDeps,
  settings: Settings,
  by: Requester,
  request: UserRequest,
): Promise<User> {
  requireAdmin(by)
  const provided = await requireCurrentPassword(deps, settings, by, request.current_password)
  if (request.which.length > 0) throw new Failure('invalid', 'which must be empty for a new user')
  return createUser(deps, settings, request.data, { provided, hasOwnFolder: request.own_folder === true })
}

/**
 * `which` names the fields; empty or 'all' means the whole record and is for administrators. The request is read only for
 * those who may send one.
 */
export async function editUser(
  deps: ChangeDeps,
  settings: Settings,
  by: Requester,
  id: number,
  request: () => Promise<UserRequest>,
): Promise<void> {
  requireSelfOrAdmin(by, id)
  const { which, data, current_password } = await request()
  const isWhole = which.length === 0 || which.some((name) => name.toLowerCase() === 'all')
  if (isWhole && !by.user.perm.admin) throw notAllowed()
  const named = isWhole ? fields : which.map(fieldNamed)
  const isGuarded = named.some((name) => guardedFields.includes(name))
  const provided = isGuarded ? await requireCurrentPassword(deps, settings, by, current_password) : undefined
  if (data.id !== id) throw new Failure('invalid', 'the id in the address and the id in the data differ')

  if (!by.user.perm.admin) {
    if (named.some((name) => adminFields.includes(name))) throw notAllowed()
    if (named.includes('password') && by.user.lockPassword) throw new Failure('forbidden', 'The password is locked')
  }
  // A whole record without a password keeps the old one; asking for an empty one by name is a mistake.
  if (!isWhole && named.includes('password') && data.password === '') throw new Failure('invalid', 'password is empty')

  // What a client does not know of stays as it is.
  const given = named.filter((name) => data[name] !== undefined)
  await changeUser(deps, settings, id, Object.fromEntries(given.map((name) => [name, data[name]])), {
    newPassword: (trx) => deps.endSessions(trx, id, { except: by.user.id === id ? by.sessionId : undefined }),
    ...(provided && { provided }),
  })
}

export async function dropUser(
  deps: ChangeDeps,
  settings: Settings,
  by: Requester,
  id: number,
  request: () => Promise<UserRemoval>,
): Promise<void> {
  requireSelfOrAdmin(by, id)
  const { current_password } = await request()
  await removeUser(deps, id, { provided: await requireCurrentPassword(deps, settings, by, current_password) })
}

/** The record of a user. Only administrators see its scope. */
export async function showUser({ db }: Pick<UserDeps, 'db'>, by: Requester, id: number): Promise<User> {
  requireSelfOrAdmin(by, id)
  const { user } = await requireAccount(db, id)
  return by.user.perm.admin ? user : { ...user, scope: '' }
}

/** Clients write 'locale' or 'Locale'; the checks of fields must not depend on that. */
function fieldNamed(text: string): Field {
  const field = fields.find((name) => name.toLowerCase() === text.toLowerCase())
  if (field === undefined) throw new Failure('invalid', `there is no field ${JSON.stringify(text)}`)
  return field
}

function requireAdmin({ user }: Requester): void {
  if (!user.perm.admin) throw new Failure('forbidden', 'This is for administrators')
}

function requireSelfOrAdmin({ user }: Requester, id: number): void {
  if (user.id !== id && !user.perm.admin) throw notAllowed()
}

/**
 * Returns a check for the transaction of the change: the password may have been changed while it was verified, perhaps
 * because it was stolen.
 */
async function requireCurrentPassword(
  { db, throttle }: Pick<ChangeDeps, 'db' | 'throttle'>,
  { authMethod }: Settings,
  { user, sessionId }: Requester,
  password: string,
): Promise<(trx: ChangeDeps['db']) => Promise<void>> {
  if (authMethod !== 'json') return async () => {}
  if (password === '') throw wrongPassword()
  const { passwordHash } = await requireAccount(db, user.id)
  // Throttled per session: a stolen one cannot guess the password, nor lock out the other sessions of its owner.
  await throttle.guardOne(`current password ${sessionId}`, async () => {
    if (!(await verifyPassword(password, passwordHash))) throw wrongPassword()
  })
  return async (trx) => {
    if ((await requireAccount(trx, user.id)).passwordHash !== passwordHash) throw wrongPassword()
  }
}

const wrongPassword = () => new Failure('invalid', 'the current password is incorrect')
