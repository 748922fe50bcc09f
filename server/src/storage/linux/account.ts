import { readFileSync } from 'node:fs'

/** The account that the process runs as: its rights are the server's. */
export function accountName(): string {
  account ??= nameOf(String(process.getuid?.() ?? 0))
  return account
}

let account: string | undefined

/** The name of a user, or its number where it has none. */
export function nameOf(number: string): string {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
    // Containers run with numbers that have no name.
    return lines.find((line) => line.split(':')[2] === number)?.split(':')[0] ?? number
  } catch {
    return number
  }
}
