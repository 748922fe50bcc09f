export const authCookie = 'auth'
/** Over TLS the same once more, by a name that no other host of the domain can set. */
export const ownCookie = '__Host-auth'

/** Script cannot read it and other sites cannot send it; it serves what sends no header: images, downloads, sockets. */
export function setAuthCookies(
  response: Response,
  token: string,
  { request, maxAge, isSecure }: { request: Request; maxAge: number; isSecure: boolean },
): Response {
  const attributes = (seconds: number) => `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`
  response.headers.append('set-cookie', `${authCookie}=${token}; ${attributes(maxAge)}${isSecure ? '; Secure' : ''}`)
  // Left over from a time when TLS was known of, it would win over the one that was just set.
  const isLeftOver = !isSecure && cookiesNamed(request, ownCookie).length > 0
  if (isSecure) response.headers.append('set-cookie', `${ownCookie}=${token}; ${attributes(maxAge)}; Secure`)
  else if (isLeftOver) response.headers.append('set-cookie', `${ownCookie}=; ${attributes(0)}; Secure`)
  return response
}

export function cookiesNamed(request: Request, name: string): string[] {
  const header = request.headers.get('cookie')
  if (header === null) return []
  return header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1))
}
