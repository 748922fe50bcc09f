import type { Kysely } from 'kysely'
import { openDatabase } from '../database/open.ts'
import { isUnwritable } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import type { Throttle } from './throttle.ts'

/**
 * Counts in a database in memory while nothing can be written: a full disk then neither refuses sign-ins nor makes guessing
 * free. `throttleOn` makes a throttle that counts in a database.
 */
export function withMemoryFallback(stored: Throttle, throttleOn: (db: Kysely<Database>) => Throttle): Throttle {
  let inMemory: Promise<Throttle> | undefined
  /** `ask` calls a throttle, which runs the check it is given. */
  async function either<T>(
    ask: (throttle: Throttle, check: () => Promise<T>) => Promise<T>,
    check: () => Promise<T>,
  ): Promise<T> {
    let checked: Promise<T> | undefined
    try {
      return await ask(stored, () => {
        checked = check()
        return checked
      })
    } catch (error) {
      if (!isUnwritable(error)) throw error
      // What could not be written came after the check: its result stands.
      if (checked !== undefined) return checked
      inMemory ??= openDatabase(':memory:').then(throttleOn)
      return ask(await inMemory, check)
    }
  }
  return {
    guard: (guess, check) => either((throttle, run) => throttle.guard(guess, run), check),
    guardOne: (target, check, options) => either((throttle, run) => throttle.guardOne(target, run, options), check),
  }
}
