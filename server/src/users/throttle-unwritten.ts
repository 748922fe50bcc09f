import type { Kysely } from 'kysely'
import { openDatabase } from '../database/open.ts'
import { isUnwritable } from '../database/refusals.ts'
import type { Database } from '../database/schema.ts'
import type { Throttle } from './throttle.ts'

/**
 * Counts in memory while nothing can be written: a full disk neither keeps people out nor lets anybody guess for free.
 * `throttleOn` makes a throttle that counts in a database.
 */
export function alsoUnwritten(stored: Throttle, throttleOn: (db: Kysely<Database>) => Throttle): Throttle {
  let inMemory: Promise<Throttle> | undefined
  return {
    async guard<T>(target: string, check: () => Promise<T>): Promise<T> {
      let checked: Promise<T> | undefined
      try {
        return await stored.guard(target, () => {
          checked = check()
          return checked
        })
      } catch (error) {
        if (!isUnwritable(error)) throw error
        // What could not be written came after the check: its result stands.
        if (checked !== undefined) return checked
        inMemory ??= openDatabase(':memory:').then(throttleOn)
        return (await inMemory).guard(target, check)
      }
    },
  }
}
