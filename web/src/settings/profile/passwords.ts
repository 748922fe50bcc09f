export type PasswordProblem = 'empty' | 'differs' | 'unconfirmed' | 'currentMissing'

interface Passwords {
  password: string
  confirmation: string
  current: string
}

/** What keeps a new password from being sent, by field. */
export function checkPasswords(
  { password, confirmation, current }: Passwords,
  asksCurrent: boolean,
): Partial<Record<keyof Passwords, PasswordProblem>> {
  return {
    ...(password === '' && { password: 'empty' }),
    ...(confirmation !== password && confirmation !== '' && { confirmation: 'differs' }),
    ...(confirmation === '' && password !== '' && { confirmation: 'unconfirmed' }),
    ...(asksCurrent && current === '' && { current: 'currentMissing' }),
  }
}
