import { copyFileSync, existsSync, linkSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { isPostgres } from '../database/address.ts'
import { copyDatabase } from '../database/copying.ts'
import { openDatabase } from '../database/open.ts'
import { readFrom, snapshot } from '../database/sqlite/files.ts'
import { Failure } from '../failure.ts'
import { described, writeArchive } from './archive.ts'
import { syncPath } from './beside.ts'
import { configName, databaseName, format, type Manifest } from './manifest.ts'

export interface BackupOptions {
  /** Its path or address. */
  readonly database: string
  readonly configPath: string | undefined
  readonly version: string
}

/** Writes database and config file as they are now into one archive, which appears when it is complete. */
export async function makeBackup(target: string, { database, configPath, version }: BackupOptions): Promise<Manifest> {
  if (existsSync(target)) throw new Failure('already-exists', `${target} exists already; name a new file`)
  const parts = { database: `${target}.database.part`, config: `${target}.config.part`, archive: `${target}.part` }
  const clear = () => {
    for (const part of Object.values(parts))
      for (const end of ['', '-journal', '-wal', '-shm']) rmSync(part + end, { force: true })
  }
  clear()
  try {
    await copyInto(parts.database, database)
    const files = [await described(databaseName, parts.database)]
    if (configPath !== undefined) {
      copyFileSync(configPath, parts.config)
      files.push(await described(configName(configPath), parts.config))
    }
    const manifest: Manifest = {
      program: 'filestead',
      format,
      version,
      created: new Date().toISOString(),
      migrations: readFrom(parts.database, (tables) => tables.migrations()),
      configPath,
      files,
    }
    await writeArchive(parts.archive, manifest, (name) => (name === databaseName ? parts.database : parts.config))
    // Unlike a rename, link fails when the name was taken in the meantime.
    linkSync(parts.archive, target)
    syncPath(dirname(target))
    return manifest
  } finally {
    clear()
  }
}

/** As it is at this moment, while others write to it: a file of SQLite, whatever the database is. */
async function copyInto(copy: string, database: string): Promise<void> {
  if (!isPostgres(database)) return snapshot(database, copy)
  const source = await openDatabase(database, { connections: 1, isUnhurried: true })
  try {
    const target = await openDatabase(copy)
    try {
      await copyDatabase(source, target)
    } finally {
      await target.destroy()
    }
  } finally {
    await source.destroy()
  }
}
