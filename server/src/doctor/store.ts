import type { KeepStore, MountHistory } from '@filestead/contract'
import type { SeenNode } from '../database/postgres/tables.ts'
import { documentsIn, examine } from '../database/sqlite/files.ts'
import type { Tables } from '../database/tables.ts'
import { parseHistory } from '../mounts/history.ts'
import { mountOf, parseLocation, pathIn } from '../mounts/location.ts'
import { isLeftOut } from '../mounts/store.ts'

/** The content of a database, read without migrating it. */
export interface DatabaseFacts {
  /** The message of SQLite's integrity check. */
  readonly damage: string | undefined
  readonly migrations: readonly string[]
  readonly users: number
  readonly administrators: number
  readonly documents: Readonly<Record<string, unknown>>
  readonly access: AccessFacts
  /** What mounts keep, by their numbers. */
  readonly histories: ReadonlyMap<number, MountHistory>
  /** In bytes, by mount and store, of what is measured. */
  keptIn(mount: number): Record<KeepStore, number>
}

/** Root folders and what is granted in them. */
export interface AccessFacts {
  /** But for the first one, whose folder is `--root`. */
  readonly mounts: readonly {
    readonly id: number
    readonly name: string
    readonly folder: string
    readonly readOnly: boolean
  }[]
  readonly grants: readonly { readonly mount: number; readonly path: string }[]
  readonly emptyGroups: readonly string[]
}

export const factsIn = (file: string): DatabaseFacts => examine(file, factsOf)

/** The tables that facts are read from. */
const examined = ['setting', 'user', 'mount', 'grant', 'circle', 'member', 'kept'] as const

/** Of a database that is no file. */
export async function factsAt(address: string): Promise<DatabaseFacts & { nodes: SeenNode[] }> {
  const { nodesAt, tablesAt } = await import('../database/postgres/tables.ts')
  return { ...factsOf(await tablesAt(address, examined), undefined), nodes: await nodesAt(address) }
}

function factsOf(tables: Tables, damage: string | undefined): DatabaseFacts {
  const kept = tables.rows('kept')
  const sizeOf = (mount: number, store: KeepStore) =>
    kept.reduce((sum, row) => sum + (row.mount === mount && row.store === store ? (row.size ?? 0) : 0), 0)
  const profiles = tables.rows('user').map(({ profile }) => JSON.parse(profile))
  const documents = tables.rows('setting').filter(({ name }) => name !== 'key')
  return {
    damage,
    migrations: tables.migrations(),
    users: profiles.length,
    administrators: profiles.filter(({ perm }) => perm?.admin === true).length,
    documents: Object.fromEntries(documents.map(({ name, value }) => [name, JSON.parse(value)])),
    access: accessIn(tables),
    keptIn: (mount) => ({ trash: sizeOf(mount, 'trash'), versions: sizeOf(mount, 'versions') }),
    // A database that was not migrated yet has no such column.
    histories: new Map(tables.rows('mount').map(({ id, history }) => [id, parseHistory(String(history ?? '{}'))])),
  }
}

function accessIn(tables: Tables): AccessFacts {
  const members = new Set(tables.rows('member').map(({ circle_id }) => circle_id))
  return {
    mounts: tables
      .rows('mount')
      .filter((mount) => mount.source !== 'root' && !isLeftOut(mount))
      .map(({ id, name, folder, read_only }) => ({ id, name, folder, readOnly: read_only === 1 })),
    grants: tables.rows('grant').map(({ location }) => {
      const place = parseLocation(location)
      return { mount: mountOf(place), path: pathIn(place) }
    }),
    emptyGroups: tables.rows('circle').flatMap(({ id, name }) => (members.has(id) ? [] : [name])),
  }
}

/** The stored options of the server; undefined where they cannot be read without writing to the disk. */
export function storedOptionsIn(file: string): Readonly<Record<string, unknown>> | undefined {
  const documents = documentsIn(file)
  return documents && ((documents.get('server') ?? {}) as Record<string, unknown>)
}
