import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tolerating } from '../linux/errno.ts'

/**
 * Backups and exports hold hashes and keys, and lie wherever the administrator wants, which may be in the served folder.
 * A list beside the database tells the server that they are not to be served.
 */
export function notePrivate(database: string, file: string): void {
  const draft = `${listOf(database)}.part`
  const fd = openAlone(draft)
  try {
    const still = privateFiles(database).filter((path) => path !== file && existsSync(path))
    writeFileSync(fd, `${JSON.stringify([...still, file], null, 2)}\n`)
    renameSync(draft, listOf(database))
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}

/** In milliseconds: a command that has taken longer for a short list is gone. */
const abandonedAfter = 10_000

/** Of two commands at the same time, one waits until the other has renamed its draft: neither loses what the other notes. */
function openAlone(draft: string): number {
  for (;;) {
    const fd = tolerating(['EEXIST'], () => openSync(draft, 'wx', 0o600))
    if (fd !== undefined) return fd
    const { mtimeMs } = tolerating(['ENOENT'], () => statSync(draft)) ?? { mtimeMs: Date.now() }
    // A clock that was set back must not keep it for ever.
    if (Math.abs(Date.now() - mtimeMs) > abandonedAfter) rmSync(draft, { force: true })
    else Bun.sleepSync(2)
  }
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
