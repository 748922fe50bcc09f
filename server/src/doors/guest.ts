import { type User, User as UserShape } from '@filestead/contract'
import { type AccessReader, scopeIn } from '../access/access.ts'
import { actorOf } from '../access/actor.ts'
import type { RestrictUser } from '../access/read-only.ts'
import type { Scope } from '../access/scope.ts'
import type { Versions } from '../database/versions.ts'
import { Failure } from '../failure.ts'
import type { HostGuard } from '../http/hosts.ts'
import { networkOf } from '../http/networks.ts'
import type { LogFacts, RequestContext } from '../http/request.ts'
import type { SettingsAt } from '../settings/settings.ts'

export interface GuestDoorDeps {
  /** Of what is kept in memory, read with every request. */
  versions(): Promise<Versions>
  settingsAt: SettingsAt
  access: Pick<AccessReader, 'ofGuest' | 'hasGuests'>
  requireHost: HostGuard
  /** Takes permissions away that the server was started without. */
  restrict: RestrictUser
}

/** Visitors without a session, who see what grants for `guest` give them. */
export interface GuestDoor {
  /** Whether this request is a guest's. Fails for one that a page of another site may have sent. */
  admits(context: RequestContext): Promise<boolean>
  /** As it is now; fails once no grant lets guests in. Reads nothing of the request but its address. */
  scope(context: RequestContext): Promise<Scope>
}

export const guestFacts: LogFacts = { user: 'guest', userId: 0 }

export function guestDoor({ versions, settingsAt, access, requireHost, restrict }: GuestDoorDeps): GuestDoor {
  async function read() {
    const { settings, access: version } = await versions()
    const current = await settingsAt(settings)
    return { current, version, areLetIn: await letsGuestsIn(current.authMethod, access, version) }
  }

  return {
    async admits(context) {
      const { headers, method } = context.request
      if (isTokenSent(headers) || !(await read()).areLetIn) return false
      // Against DNS rebinding: the address of this server is all that a foreign page needs to know.
      requireHost(headers, { needsNoSignIn: true })
      if (method !== 'GET' && method !== 'HEAD') context.requireSameSite()
      return true
    },
    async scope({ connection: { address } }) {
      const { current, version, areLetIn } = await read()
      if (!areLetIn) throw new Failure('unauthenticated', 'Sign in first')
      const { sorting, hideDotfiles } = current.defaults
      const user = restrict({ ...guest, id: guestId(address), sorting, hideDotfiles })
      return scopeIn(await access.ofGuest(version), actorOf(user, current.rules))
    },
  }
}

/** Where no sign-in is needed, the one account is everybody's. */
export const letsGuestsIn = async (
  authMethod: string,
  access: Pick<AccessReader, 'hasGuests'>,
  version?: number,
): Promise<boolean> => authMethod !== 'noauth' && access.hasGuests(version)

/**
 * A token that is refused is answered with 401, so that its sender signs in again and does not take the files of guests
 * for its own. A cookie is not: browsers go on sending it after the session has ended, and a page that has no token any
 * more would be sent to the login again and again.
 */
const isTokenSent = (headers: Headers): boolean => (headers.get('x-auth') ?? '') !== ''

/** All permissions about files: grants decide. */
const guest: User = UserShape.parse({
  username: 'guest',
  lockPassword: true,
  perm: { create: true, rename: true, modify: true, delete: true, download: true },
})

/**
 * Below zero, which no account is: unfinished uploads are found by the id of their sender and their path, and those of
 * one guest are not to be touched by another.
 */
const guestId = (address: string): number => -1 - Number(BigInt.asUintN(31, BigInt(Bun.hash(networkOf(address)))))
