let known: ReadonlySet<string> | undefined

/** Is it one of the passwords everybody tries first? The list is loaded when somebody sets a password, not before. */
export async function isCommonPassword(password: string): Promise<boolean> {
  if (known === undefined) {
    const { dictionary } = await import('@zxcvbn-ts/language-common')
    known = new Set(dictionary['passwords-common'])
  }
  return known.has(password.toLowerCase())
}
