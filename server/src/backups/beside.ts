import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { Failure } from '../failure.ts'

/** A name beside the database for one that is not used any more. */
export function nameWithTime(database: string, why: 'replaced' | 'moved', now: Date): string {
  const name = `${database}.${why}-${now.toISOString().slice(0, 19).replaceAll(':', '-')}`
  if (existsSync(name)) throw new Failure('already-exists', `${name} exists already; try again in a second`)
  return name
}

/** Waits until a file, or the names in a folder, are on the disk. */
export function syncPath(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
