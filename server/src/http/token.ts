import type { Form } from './body.ts'

export const authCookie = 'auth'

/** The tokens a request carries, best first. Anything that does not look like one is passed over. */
export function tokensIn(request: Request): string[] {
  const header = request.headers.get('x-auth') ?? ''
  if (looksLikeToken(header)) return [header]
  // A cookie comes along by itself, also from a foreign page: it may only ever read.
  if (request.method !== 'GET' && request.method !== 'HEAD') return []
  return cookieOf(request, authCookie).filter(looksLikeToken)
}

/** The token has to stand at the beginning of a form: nobody else gets the rest of it read. */
export const tokensInForm = async (form: Form): Promise<string[]> =>
  [await form.early('auth')].filter((text) => text !== undefined).filter(looksLikeToken)

/** Script cannot read it and other sites cannot send it; it serves what sends no header: images, downloads, sockets. */
export function setAuthCookie(token: string, { maxAge, isSecure }: { maxAge: number; isSecure: boolean }): string {
  return `${authCookie}=${token}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
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
