import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * What many tests start from is made once for all runners of `npm test`, in a folder of theirs, or once for a runner
 * that was started alone. Kept in the environment: every file of tests has its own modules.
 */
const variable = 'PREPARED_FOR_TESTS'
const making = new Map<string, Promise<void>>()

/** A file with this name in there, made by `make` where there is none. */
export async function prepared(name: string, make: (place: string) => Promise<unknown>): Promise<string> {
  const place = join(folder(), name)
  if (!existsSync(place)) {
    const made = making.get(name) ?? makeWhole(place, make)
    making.set(name, made)
    await made
  }
  return place
}

/** Runners may make the same at once, and none sees a part of it. */
async function makeWhole(place: string, make: (place: string) => Promise<unknown>): Promise<void> {
  const part = `${place}.${process.pid}`
  await make(part)
  renameSync(part, place)
}

function folder(): string {
  const known = process.env[variable]
  if (known !== undefined) {
    mkdirSync(known, { recursive: true })
    return known
  }
  const own = mkdtempSync(join(tmpdir(), 'filestead-prepared-'))
  process.env[variable] = own
  process.on('exit', () => rmSync(own, { recursive: true, force: true }))
  return own
}
