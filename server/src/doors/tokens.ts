import type { Form } from '../http/body.ts'
import { authCookie, cookiesNamed, ownCookie } from '../sessions/cookies.ts'

/** A browser sends one or two. Each costs a lookup. */
const mostCookies = 4

/** The tokens a request carries, best first. Anything that does not look like one is passed over. */
export function tokensIn(request: Request): string[] {
  const header = request.headers.get('x-auth') ?? ''
  if (looksLikeToken(header)) return [header]
  // A cookie comes along by itself, also from a foreign page: it may only ever read.
  if (request.method !== 'GET' && request.method !== 'HEAD') return []
  const own = cookiesNamed(request, ownCookie)
  return (own.length > 0 ? own : cookiesNamed(request, authCookie)).filter(looksLikeToken).slice(0, mostCookies)
}

/** The token stands at the beginning of a form: the rest is not read before its sender is known. */
export const tokensInForm = async (form: Form): Promise<string[]> =>
  [await form.early('auth')].filter((text) => text !== undefined).filter(looksLikeToken)

const looksLikeToken = (text: string): boolean => text.split('.').length === 3
