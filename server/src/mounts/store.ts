import type { LinkPolicy } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Database, MountRow } from '../database/schema.ts'

/** A root with a name, as it is stored. */
export interface MountFacts {
  readonly id: number
  readonly name: string
  /** Empty for the first one, whose folder is `--root`. */
  readonly folder: string
  readonly links: LinkPolicy
  readonly readOnly: boolean
  readonly source: 'root' | 'stored' | 'config'
}

/** The first one first. */
export async function allMounts(db: Kysely<Database>): Promise<MountFacts[]> {
  return (await db.selectFrom('mount').selectAll().orderBy('id').execute()).map(toMount)
}

const toMount = (row: MountRow): MountFacts => ({
  id: row.id,
  name: row.name,
  folder: row.folder,
  links: row.links as LinkPolicy,
  readOnly: row.read_only === 1,
  source: row.source as MountFacts['source'],
})
