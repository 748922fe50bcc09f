import type { Given } from '../config/config.ts'
import { type Databases, isInFile } from '../config/databases.ts'
import { isMissing, requireFile } from '../database/kinds.ts'
import { storedOptionsIn } from '../doctor/store.ts'

/** What a database tells before it is opened, migrated, or made. */
export interface FirstLook {
  /** Are there no settings yet? */
  readonly isNew: boolean
  /** Undefined where they cannot be read without opening the database, as on a read-only disk. */
  readonly options: Given | undefined
}

export async function firstLook({ address, file }: Databases): Promise<FirstLook> {
  if (isInFile({ address })) {
    if (isMissing(file)) return nothing
    requireFile(file)
    return { isNew: false, options: storedOptionsIn(file) }
  }
  const { tablesAt } = await import('../database/postgres/tables.ts')
  const documents = new Map(
    (await tablesAt(address, ['setting'])).rows('setting').map(({ name, value }) => [name, value]),
  )
  return documents.has('settings') ? { isNew: false, options: JSON.parse(documents.get('server') ?? '{}') } : nothing
}

const nothing: FirstLook = { isNew: true, options: {} }
