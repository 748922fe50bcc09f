import { Failure } from '../failure.ts'

/** Is this the address of a PostgreSQL, and not the path of a file? */
export const isPostgres = (address: string): boolean => /^postgres(ql)?:\/\//i.test(address)

/** An address in its parts. Where no host is named, a role cannot stand before it: it becomes a parameter, as it may be one. */
export function urlOf(address: string): URL {
  const [, scheme = '', user = '', password = '', rest = ''] =
    /^(\w+:\/\/)([^/?#:@]*)(?::([^/?#@]*))?@([/?].*)?$/s.exec(address) ?? []
  try {
    if (scheme === '') return new URL(address)
    const url = new URL(scheme + rest)
    url.searchParams.set('user', decodeURIComponent(user))
    if (password !== '') url.searchParams.set('password', decodeURIComponent(password))
    return url
  } catch {
    throw new Failure(
      'invalid',
      `${shownAddress(address)} is no address of a database. It looks like postgres://user@host/database`,
    )
  }
}

/** An address as it may be shown and logged: without its password. */
export function shownAddress(address: string): string {
  if (!isPostgres(address)) return address
  // Not by a parser: what cannot be parsed is shown as well, in the sentence that says so.
  return address.replace(/^(\w+:\/\/[^/?#:@]*):.*@/s, '$1@').replace(/([?&]password=)[^&#]*/gi, '$1…')
}
