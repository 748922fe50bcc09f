import { randomBytes } from 'node:crypto'
import type { AuthSettings, Settings } from '@filestead/contract'
import { Failure } from '../../failure.ts'
import { accountNamed } from '../../users/store.ts'
import { createFromDefaults, type UserDeps } from '../../users/users.ts'
import type { Method, SignInAttempt } from './method.ts'

/** Signs in the user whom the header of the trusted proxy names. */
export const byProxy =
  (deps: UserDeps, settings: Settings, auth: AuthSettings): Method =>
  async (attempt) => {
    const username = assertedName(auth, attempt)
    if (username === undefined) throw new Failure('wrong-credentials', 'No trusted proxy names a user')
    const account = await accountNamed(deps.db, username)
    if (account !== undefined) return { user: account.user }
    if (!auth.createUsers) throw new Failure('wrong-credentials', 'The user is not known')
    // The account needs a hash; no password belongs to it.
    const password = randomBytes(22).toString('base64url')
    return { user: await createFromDefaults(deps, settings, { username, password, lockPassword: true }) }
  }

/** The user name in the header of a trusted proxy; from any other address the header is ignored. */
export function assertedName(
  { header }: AuthSettings,
  { headers, isFromTrustedProxy }: Pick<SignInAttempt, 'headers' | 'isFromTrustedProxy'>,
): string | undefined {
  if (header === '' || !isFromTrustedProxy) return undefined
  return headers.get(header)?.trim() || undefined
}
