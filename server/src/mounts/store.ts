import type { LinkPolicy, MountHistory } from '@filestead/contract'
import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import { nextNumber } from '../database/counters.ts'
import type { Database, MountRow } from '../database/schema.ts'
import { parseHistory } from './history.ts'
import { firstMount } from './location.ts'

/** A root with a name, as it is stored. */
export interface MountFacts {
  readonly id: number
  readonly name: string
  /** Empty for the first one, whose folder is `--root`. */
  readonly folder: string
  readonly links: LinkPolicy
  readonly readOnly: boolean
  readonly source: 'root' | 'stored' | 'config'
  /** What it keeps; as usual where that is not said. */
  readonly history?: MountHistory | undefined
}

/** The first one first. */
export const allMounts = async (db: Kysely<Database>): Promise<MountFacts[]> =>
  (await mountsWithLeftOut(db)).filter((mount) => !isLeftOut(mount))

/** Also those that the configuration named earlier. */
export const mountsWithLeftOut = async (db: Kysely<Database>): Promise<MountFacts[]> =>
  (await db.selectFrom('mount').selectAll().orderBy('id').execute()).map(toMount)

export const isMount = async (db: Kysely<Database>, id: number): Promise<boolean> =>
  (await db.selectFrom('mount').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

/** The name of a row that is left out: no mount can have it, because names have no slash. */
export const leftOut = (name: string): string => `/${name}`

export const isLeftOut = ({ name }: Pick<MountFacts, 'name'>): boolean => name.startsWith('/')

/** Returns its number. The caller counts the change with `touchAccess`. */
export async function insertMount(trx: Transaction<Database>, mount: Omit<MountFacts, 'id'>): Promise<number> {
  let id = await nextNumber(trx, 'mount')
  // That of the first one, which every database is made with.
  if (id === firstMount) id = await nextNumber(trx, 'mount')
  await trx
    .insertInto('mount')
    .values({ id, ...toRow(mount) })
    .execute()
  return id
}

export async function saveMount(trx: Transaction<Database>, { id, ...mount }: MountFacts): Promise<void> {
  await trx.updateTable('mount').set(toRow(mount)).where('id', '=', id).execute()
}

/** Only the row: whatever names places in the mount is ended by mounting/. */
export async function deleteMount(trx: Transaction<Database>, id: number): Promise<void> {
  await trx.deleteFrom('mount').where('id', '=', id).execute()
}

const toRow = ({
  name,
  folder,
  links,
  readOnly,
  source,
  history,
}: Omit<MountFacts, 'id'>): Omit<Insertable<MountRow>, 'id'> => ({
  name,
  folder,
  links,
  read_only: readOnly ? 1 : 0,
  source,
  history: JSON.stringify(history ?? {}),
})

const toMount = (row: Selectable<MountRow>): MountFacts => ({
  id: row.id,
  name: row.name,
  folder: row.folder,
  links: row.links as LinkPolicy,
  readOnly: row.read_only === 1,
  source: row.source as MountFacts['source'],
  history: parseHistory(row.history),
})
