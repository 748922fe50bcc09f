import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

const Paths = z.array(z.string())

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
  try {
    return Paths.parse(JSON.parse(readFileSync(listOf(database), 'utf8')))
  } catch {
    return []
  }
}

/** Its name begins with that of the database, so it is not served itself. */
const listOf = (database: string): string => `${database}.private`
