import { type Kysely, Migrator, sql } from 'kysely'
import { up as foundation } from './0001_foundation.ts'
import { up as uploads } from './0002_uploads.ts'
import { up as shares } from './0003_shares.ts'
import { up as uploadMetadata } from './0004_upload_metadata.ts'
import { up as inheritance } from './0005_inheritance.ts'
import { up as slimUploads } from './0006_slim_uploads.ts'
import { up as attempts } from './0008_attempts.ts'
import { up as nodes } from './0009_nodes.ts'
import { up as sharePlaces } from './0010_share_places.ts'
import { up as leaving } from './0012_leaving.ts'
import { up as changes } from './0013_changes.ts'
import { up as leases } from './0015_leases.ts'
import { up as uploadIndexes } from './0017_upload_indexes.ts'
import { up as shareLabels } from './0030_share_labels.ts'
import { up as signIns } from './0034_sign_ins.ts'
import { up as favourites } from './0038_favourites.ts'
import { up as syncedUploads } from './0042_synced_uploads.ts'
import { up as mountsAndGrants } from './0060_mounts_and_grants.ts'
import { up as locations } from './0061_locations.ts'
import { up as jobs } from './0062_jobs.ts'
import { up as history } from './0063_history.ts'
import { up as nodesAndRemotes } from './0064_nodes_and_remotes.ts'
import { up as knownItems } from './0065_known_items.ts'
import { up as jobPlans } from './0066_job_plans.ts'
import { up as departures } from './0067_departures.ts'

const migrations = {
  '0001_foundation': { up: foundation },
  '0002_uploads': { up: uploads },
  '0003_shares': { up: shares },
  '0004_upload_metadata': { up: uploadMetadata },
  '0005_inheritance': { up: inheritance },
  '0006_slim_uploads': { up: slimUploads },
  '0008_attempts': { up: attempts },
  '0009_nodes': { up: nodes },
  '0010_share_places': { up: sharePlaces },
  '0012_leaving': { up: leaving },
  '0013_changes': { up: changes },
  '0015_leases': { up: leases },
  '0017_upload_indexes': { up: uploadIndexes },
  '0030_share_labels': { up: shareLabels },
  '0034_sign_ins': { up: signIns },
  '0038_favourites': { up: favourites },
  '0042_synced_uploads': { up: syncedUploads },
  '0060_mounts_and_grants': { up: mountsAndGrants },
  '0061_locations': { up: locations },
  '0062_jobs': { up: jobs },
  '0063_history': { up: history },
  '0064_nodes_and_remotes': { up: nodesAndRemotes },
  '0065_known_items': { up: knownItems },
  '0066_job_plans': { up: jobPlans },
  '0067_departures': { up: departures },
}

/**
 * Migrations that servers of the version before can go on with: they read and write nothing that these change. A new one is
 * named here only after such a server was tried with it; all others need a moment without any server.
 */
const survivable: readonly string[] = []

/** Would servers of another version, which know no more than these migrations, fail after what is still to be done? */
export const endsOlderServers = (done: readonly string[]): boolean =>
  Object.keys(migrations).some((name) => !done.includes(name) && !survivable.includes(name))

/** Has a database that went through these migrations been opened by a newer version than this one? */
export const isFromNewerVersion = (done: readonly string[]): boolean =>
  done.some((name) => !Object.hasOwn(migrations, name))

/** The same of one that is open. */
export async function isOfNewerVersion<T>(db: Kysely<T>): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return isFromNewerVersion(rows.map(({ name }) => name))
}

/** A database that needs nothing done to it is opened without a write: its disk may be full. */
export const isUpToDate = (done: readonly string[]): boolean =>
  done.length === Object.keys(migrations).length && !isFromNewerVersion(done)

const migratorOf = <T>(db: Kysely<T>): Migrator =>
  new Migrator({ db, provider: { getMigrations: async () => migrations } })

export async function migrateToLatest<T>(db: Kysely<T>): Promise<void> {
  const { error } = await migratorOf(db).migrateToLatest()
  if (error !== undefined) throw error
}

/** The tables as the version with this last migration had them; for tests. */
export async function migrateTo<T>(db: Kysely<T>, name: keyof typeof migrations): Promise<void> {
  const { error } = await migratorOf(db).migrateTo(name)
  if (error !== undefined) throw error
}
