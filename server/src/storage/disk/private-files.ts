import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tolerating } from '../linux/errno.ts'

/**
 * Backups and exports hold hashes and keys, and lie wherever the administrator wants, which may be in the served folder.
 * A list beside the database tells the server that they are not to be served.
 */
export function notePrivate(database: string, file: string): void {
  const still = privateFiles(database).filter((path) => path !== file && existsSync(path))
  const draft = `${listOf(database)}.part`
  writeFileSync(draft, `${JSON.stringify([...still, file], null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, listOf(database))
}

export function privateFiles(database: string): string[] {
  // Any other trouble goes on: to take a list that cannot be read just now for an empty one would show what is on it.
  return listedIn(tolerating(['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR'], () => readFileSync(listOf(database), 'utf8')))
}

/** The files that the text of such a list names. */
export function listedIn(text: string | undefined): string[] {
  try {
    const listed: unknown = text === undefined ? [] : JSON.parse(text)
    return Array.isArray(listed) && listed.every((path) => typeof path === 'string') ? listed : []
  } catch {
    return []
  }
}

/** Its name begins with that of the database, so it is not served itself. */
export const listOf = (database: string): string => `${database}.private`
