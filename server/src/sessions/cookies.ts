export const authCookie = 'auth'
/** Set beside it over TLS: no other host of the domain can set a cookie of this name. */
export const ownCookie = '__Host-auth'

/** For requests without the header: images, downloads, sockets. Scripts cannot read it and other sites cannot send it. */
export function setAuthCookies(
  response: Response,
  token: string,
  { request, maxAge, isSecure }: { request: Request; maxAge: number; isSecure: boolean },
): Response {
  const attributes = (seconds: number) => `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`
  response.headers.append('set-cookie', `${authCookie}=${token}; ${attributes(maxAge)}${isSecure ? '; Secure' : ''}`)
  // One that was set while TLS was used would take precedence over the new cookie.
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
