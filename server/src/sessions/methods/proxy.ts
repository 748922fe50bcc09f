import { randomBytes } from 'node:crypto'
import type { AuthSettings, Settings } from '@filestead/contract'
import { Failure } from '../../failure.ts'
import { accountNamed } from '../../users/store.ts'
import { createFromDefaults, type UserDeps } from '../../users/users.ts'
import type { Method, SignInAttempt } from './method.ts'

/** The proxy in front has asked already; its header tells whom it let in. */
export const byProxy =
  (deps: UserDeps, settings: Settings, auth: AuthSettings): Method =>
  async (attempt) => {
    const username = assertedName(auth, attempt)
    if (username === undefined) throw new Failure('wrong-credentials', 'No trusted proxy names a user')
    const account = await accountNamed(deps.db, username)
    if (account !== undefined) return { user: account.user }
    if (!auth.createUsers) throw new Failure('wrong-credentials', 'The user is not known')
    // Nobody ever types this password; it only has to be one.
    const password = randomBytes(22).toString('base64url')
    return { user: await createFromDefaults(deps, settings, { username, password, lockPassword: true }) }
  }

/** Whom a proxy vouches for; nobody else's header counts. */
export function assertedName(
  { header }: AuthSettings,
  { headers, isFromTrustedProxy }: Pick<SignInAttempt, 'headers' | 'isFromTrustedProxy'>,
): string | undefined {
  if (header === '' || !isFromTrustedProxy) return undefined
  return headers.get(header)?.trim() || undefined
}
