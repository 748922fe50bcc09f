import { AuthSettings, Settings } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Given } from '../../config/config.ts'
import { durableTransaction } from '../../database/port.ts'
import type { Database, SettingRow } from '../../database/schema.ts'
import { documentOf, saveDocument } from '../../settings/store.ts'

/** The settings, sign-in method and server options in the database. */
export interface Stored {
  readonly settings: Settings
  readonly auth: AuthSettings
  readonly server: Given
}

export async function readStored(db: Kysely<Database>): Promise<Stored> {
  const read = async (name: SettingRow['name']) => JSON.parse((await documentOf(db, name))?.value ?? '{}')
  return {
    settings: Settings.parse(await read('settings')),
    auth: AuthSettings.parse(await read('auth')),
    server: await read('server'),
  }
}

/** Changes them in one transaction, so that a change from the web at the same time is not lost. */
export const changeStored = (db: Kysely<Database>, change: (stored: Stored) => Partial<Stored>): Promise<Stored> =>
  durableTransaction(db, 'serializable', async (trx) => {
    const stored = await readStored(trx)
    const changed = change(stored)
    for (const name of ['settings', 'auth', 'server'] as const)
      if (changed[name] !== undefined) await saveDocument(trx, name, changed[name])
    return { ...stored, ...changed }
  })
