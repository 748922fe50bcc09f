import { closeSync, copyFileSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { readFrom, snapshot } from '../database/sqlite/files.ts'
import { Failure } from '../failure.ts'
import { described, writeArchive } from './archive.ts'
import { configName, databaseName, format, type Manifest } from './manifest.ts'

export interface BackupOptions {
  readonly database: string
  readonly configPath: string | undefined
  readonly version: string
}

/** Writes database and config file as they are now into one archive, which appears when it is complete. */
export async function makeBackup(target: string, { database, configPath, version }: BackupOptions): Promise<Manifest> {
  if (existsSync(target)) throw new Failure('already-exists', `${target} exists already; name a new file`)
  const parts = { database: `${target}.database.part`, config: `${target}.config.part`, archive: `${target}.part` }
  const clear = () => {
    for (const part of Object.values(parts)) for (const end of ['', '-journal']) rmSync(part + end, { force: true })
  }
  clear()
  try {
    snapshot(database, parts.database)
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
    syncFolder(dirname(target))
    return manifest
  } finally {
    clear()
  }
}

export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  fsyncSync(fd)
  closeSync(fd)
}
