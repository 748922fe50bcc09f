let commonPasswords: ReadonlySet<string> | undefined

/** Is it on the list of common passwords? The list is loaded with the first password that is set. */
export async function isCommonPassword(password: string): Promise<boolean> {
  if (commonPasswords === undefined) {
    const { dictionary } = await import('@zxcvbn-ts/language-common')
    commonPasswords = new Set(dictionary['passwords-common'])
  }
  return commonPasswords.has(password.toLowerCase())
}
