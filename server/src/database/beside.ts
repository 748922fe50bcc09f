import { Database as Sqlite } from 'bun:sqlite'
import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { z } from 'zod'
import { isMissing, isPredecessors } from './kinds.ts'

/** Which database is meant by a name that people have used for years. */
export interface Databases {
  readonly ours: string
  /** The database of File Browser that ours is, or has to be, made from. */
  readonly predecessor: string | undefined
}

/**
 * The name of File Browser's database goes on meaning the same instance: ours lies beside it, also once the old file has
 * been cleared away.
 */
export function databasesAt(named: string): Databases {
  const beside = followed(nameBeside(named))
  if (isMissing(named)) return { ours: isTakenFrom(beside, named) ? beside : followed(named), predecessor: undefined }
  return isPredecessors(named)
    ? { ours: beside, predecessor: named }
    : { ours: followed(named), predecessor: undefined }
}

/** SQLite has its other files beside the one that a link leads to; whoever looks for them must not look at the link. */
export function followed(file: string, hops = 0): string {
  try {
    if (hops > mostHops || !lstatSync(file).isSymbolicLink()) return file
    return followed(resolve(realpathSync(dirname(file)), readlinkSync(file)), hops + 1)
  } catch {
    return file
  }
}

const mostHops = 40

/** 'filebrowser.db' becomes 'filestead.db', 'files.db' becomes 'files.filestead.db'. */
export function nameBeside(file: string): string {
  const name = basename(file)
  const end = extname(name)
  const ours = name.includes('filebrowser')
    ? name.replace('filebrowser', 'filestead')
    : `${basename(name, end)}.filestead${end}`
  return join(dirname(file), ours)
}

const Origin = z.object({ files: z.array(z.string()) })

/** Does this database of ours say that it was made from that file? By name only: both may have been moved together. */
function isTakenFrom(ours: string, file: string): boolean {
  if (isMissing(ours)) return false
  try {
    const sqlite = new Sqlite(ours, { readonly: true })
    try {
      const row = sqlite.query("select value from setting where name = 'takeover'").get() as { value: string } | null
      const origin = Origin.safeParse(JSON.parse(row?.value ?? 'null'))
      return origin.success && origin.data.files.some((from) => basename(from) === basename(file))
    } finally {
      sqlite.close()
    }
  } catch {
    return false
  }
}
