/** Is this the address of a PostgreSQL, and not the path of a file? */
export const isPostgres = (address: string): boolean => /^postgres(ql)?:\/\//i.test(address)

/** An address as it may be shown and logged: without its password. */
export function shownAddress(address: string): string {
  if (!isPostgres(address)) return address
  // Not by a parser: what cannot be parsed is shown as well, in the sentence that says so.
  return address.replace(/^(\w+:\/\/[^/?#:@]*):[^/?#]*@/, '$1@').replace(/([?&]password=)[^&#]*/gi, '$1…')
}
