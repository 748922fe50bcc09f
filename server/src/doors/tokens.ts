import type { Form } from '../http/body.ts'
import { authCookie, cookiesNamed, ownCookie } from '../sessions/cookies.ts'

/** A browser sends one or two, and each costs a lookup. */
const mostCookies = 4

/** The tokens of a request, best first. Values that are no JWT are ignored. */
export function tokensIn(request: Request): string[] {
  const header = request.headers.get('x-auth') ?? ''
  if (looksLikeToken(header)) return [header]
  // Browsers send cookies with requests of other sites too, so that they count for reading alone.
  if (request.method !== 'GET' && request.method !== 'HEAD') return []
  const own = cookiesNamed(request, ownCookie)
  return (own.length > 0 ? own : cookiesNamed(request, authCookie)).filter(looksLikeToken).slice(0, mostCookies)
}

/** The token at the beginning of a form; the rest is not read before the sender is authenticated. */
export const tokensInForm = async (form: Form): Promise<string[]> =>
  [await form.early('auth')].filter((text) => text !== undefined).filter(looksLikeToken)

const looksLikeToken = (text: string): boolean => text.split('.').length === 3
