import type { HostGuard } from '../../http/hosts.ts'
import type { ReadSettings } from '../../settings/settings.ts'
import { readAuth } from '../../settings/settings.ts'
import { byHook, type HookDeps } from './hook.ts'
import type { Method, SignInAttempt } from './method.ts'
import { asFirstUser } from './noauth.ts'
import { byPassword } from './password.ts'
import { assertedName, byProxy } from './proxy.ts'

/** The sign-in method of the current settings. */
export async function methodNow(deps: HookDeps & { requireHost: HostGuard }, settings: ReadSettings): Promise<Method> {
  const [current, auth] = [await settings(), await readAuth(deps)]
  switch (current.authMethod) {
    case 'json':
      return byPassword(deps, auth)
    case 'proxy':
      return byProxy(deps, current, auth)
    case 'hook':
      return byHook(deps, current, auth)
    case 'noauth':
      return asFirstUser(deps)
  }
}

/** The user that the proxy names in this request, where the proxy is the sign-in method. */
export async function vouchedName(
  deps: HookDeps,
  settings: ReadSettings,
  request: Pick<SignInAttempt, 'headers' | 'isFromTrustedProxy'>,
): Promise<string | undefined> {
  const { authMethod, logoutPage } = await settings()
  if (authMethod !== 'proxy' || logoutPage === '/login') return undefined
  return assertedName(await readAuth(deps), request)
}
