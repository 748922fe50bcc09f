import type { Form } from './body.ts'

const authCookie = 'auth'
/** Over TLS the same once more, by a name that no other host of the domain can set. */
const ownCookie = '__Host-auth'

/** More than these nobody has who did not make them up. */
const mostCookies = 4

/** The tokens a request carries, best first. Anything that does not look like one is passed over. */
export function tokensIn(request: Request): string[] {
  const header = request.headers.get('x-auth') ?? ''
  if (looksLikeToken(header)) return [header]
  // A cookie comes along by itself, also from a foreign page: it may only ever read.
  if (request.method !== 'GET' && request.method !== 'HEAD') return []
  const own = cookieOf(request, ownCookie)
  return (own.length > 0 ? own : cookieOf(request, authCookie)).filter(looksLikeToken).slice(0, mostCookies)
}

/** The token has to stand at the beginning of a form: nobody else gets the rest of it read. */
export const tokensInForm = async (form: Form): Promise<string[]> =>
  [await form.early('auth')].filter((text) => text !== undefined).filter(looksLikeToken)

/** Script cannot read it and other sites cannot send it; it serves what sends no header: images, downloads, sockets. */
export function setAuthCookies(
  response: Response,
  token: string,
  { request, maxAge, isSecure }: { request: Request; maxAge: number; isSecure: boolean },
): Response {
  const attributes = (seconds: number) => `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`
  response.headers.append('set-cookie', `${authCookie}=${token}; ${attributes(maxAge)}${isSecure ? '; Secure' : ''}`)
  // Left over from a time when we knew of the TLS, it would win over the one that was just set.
  const isLeftOver = !isSecure && cookieOf(request, ownCookie).length > 0
  if (isSecure) response.headers.append('set-cookie', `${ownCookie}=${token}; ${attributes(maxAge)}; Secure`)
  else if (isLeftOver) response.headers.append('set-cookie', `${ownCookie}=; ${attributes(0)}; Secure`)
  return response
}

const looksLikeToken = (text: string): boolean => text.split('.').length === 3

function cookieOf(request: Request, name: string): string[] {
  const header = request.headers.get('cookie')
  if (header === null) return []
  return header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1))
}
