import { type AuthSettings, permissionNames, type Settings, type User } from '@filestead/contract'
import type { Throttle } from '../../access/throttle.ts'
import { fairQueue } from '../../concurrency/fair-queue.ts'
import { Failure } from '../../failure.ts'
import { networkOf } from '../../http/networks.ts'
import { run } from '../../programs/run.ts'
import { verifyPassword } from '../../users/passwords.ts'
import { accountNamed } from '../../users/store.ts'
import { changeUser, createFromDefaults, isShowable, requireAccount, type UserDeps } from '../../users/users.ts'
import { hasSessionFrom } from '../store.ts'
import type { Method, Recognised } from './method.ts'

const timeLimit = 30_000

/** Anonymous requests start programs: a semaphore for all of them, and a smaller one for each network. */
const programs = fairQueue({ places: 8, placesPerLane: 2, mostWaiting: 64, mostWaitingPerLane: 8 })

export interface HookDeps extends UserDeps {
  throttle: Throttle
  environment: Readonly<Record<string, string | undefined>>
}

/** A program of the administrator accepts the sign-in, refuses it, or leaves it to the stored password. */
export const byHook =
  (deps: HookDeps, settings: Settings, { command }: AuthSettings): Method =>
  async (attempt) => {
    const { username, password } = await attempt.credentials()
    // An environment variable cannot hold a NUL, and no user has a name that cannot be shown.
    if (!isShowable(username) || password.includes('\0')) throw new Failure('wrong-credentials', 'Wrong credentials')
    const network = networkOf(attempt.address)
    const isKnownHere = () => hasSessionFrom(deps.db, username, network)
    const guess = { kind: 'login', of: username, from: attempt, isKnownHere, isCostly: true } as const
    return deps.throttle.guard(guess, async () => {
      const output = await programs.run(network, async () => {
        attempt.cancellation.throwIfAborted()
        return run({
          argv: command.split(' ').filter(Boolean),
          environment: { ...deps.environment, USERNAME: username, PASSWORD: password },
          input: JSON.stringify({ username, password }),
          timeLimit,
        })
      })
      const answer = parse(output.toString())
      const action = answer.get('hook.action')
      if (action === 'auth') return { user: await accept(deps, settings, { username, password, network }, answer) }
      if (action === 'pass') return byStoredPassword(deps, { username, password, network })
      if (action === 'block') throw new Failure('wrong-credentials', 'Wrong credentials')
      throw new Failure('internal', 'The sign-in program gave no answer that is understood')
    })
  }

interface SignIn {
  username: string
  password: string
  network: string
}

/** 'key=value' lines; others are ignored. */
function parse(output: string): ReadonlyMap<string, string> {
  const lines = output.split(/\r?\n/).map((line) => /^\s*([\w.]+)\s*=(.*)$/.exec(line))
  return new Map(lines.flatMap((match) => (match === null ? [] : [[match[1] ?? '', (match[2] ?? '').trim()]])))
}

async function accept(
  deps: HookDeps,
  settings: Settings,
  { username, password, network }: SignIn,
  answer: ReadonlyMap<string, string>,
): Promise<User> {
  const account = await accountNamed(deps.db, username)
  if (account === undefined) {
    const newcomer = { username, password, network, lockPassword: true }
    const user = await createFromDefaults(deps, settings, newcomer, { isVouchedFor: true })
    if (answer.size === 1) return user
    await changeUser(deps, settings, user.id, fieldsIn(answer, user))
    return (await requireAccount(deps.db, user.id)).user
  }
  const isKnownPassword = await verifyPassword(password, account.passwordHash, { network })
  if (answer.size === 1 && isKnownPassword) return account.user
  // Only fields that the program named change; rules and other preferences stay.
  const changed = {
    ...fieldsIn(answer, account.user),
    lockPassword: true,
    ...(!isKnownPassword && { password }),
  }
  await changeUser(deps, settings, account.user.id, changed, { isVouchedFor: true })
  return (await requireAccount(deps.db, account.user.id)).user
}

function fieldsIn(answer: ReadonlyMap<string, string>, user: User): Partial<User> {
  const text = (key: string) => answer.get(`user.${key}`)
  const flag = (key: string, before: boolean) => (text(key) === undefined ? before : text(key) === 'true')
  const isAdmin = flag('perm.admin', user.perm.admin)
  const perm = Object.fromEntries(
    permissionNames.map((name) => [name, isAdmin || flag(`perm.${name}`, user.perm[name])]),
  ) as User['perm']
  return {
    scope: text('scope') ?? user.scope,
    locale: text('locale') ?? user.locale,
    viewMode: text('viewMode') ?? user.viewMode,
    singleClick: flag('singleClick', user.singleClick),
    redirectAfterCopyMove: flag('redirectAfterCopyMove', user.redirectAfterCopyMove),
    hideDotfiles: flag('hideDotfiles', user.hideDotfiles),
    dateFormat: flag('dateFormat', user.dateFormat),
    sorting: { by: text('sorting.by') ?? user.sorting.by, asc: flag('sorting.asc', user.sorting.asc) },
    commands: text('commands')?.split(' ').filter(Boolean) ?? user.commands,
    perm,
  }
}

async function byStoredPassword({ db }: HookDeps, { username, password, network }: SignIn): Promise<Recognised> {
  const account = await accountNamed(db, username)
  if (!(await verifyPassword(password, account?.passwordHash, { network })) || account === undefined)
    throw new Failure('wrong-credentials', 'Wrong credentials')
  return account
}
