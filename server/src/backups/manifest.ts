import { extname } from 'node:path'
import { z } from 'zod'
import { Failure } from '../failure.ts'

/** Incremented when older versions cannot read the archive. */
export const format = 1

const Packed = z.object({ name: z.string(), size: z.number(), sha256: z.string() })
export type Packed = z.infer<typeof Packed>

/** The first file of a backup: names, sizes and checksums of the others. */
export const Manifest = z.object({
  program: z.literal('filestead'),
  format: z.number(),
  version: z.string(),
  created: z.string(),
  migrations: z.array(z.string()),
  /** The path of the config file in the archive, when it was backed up. */
  configPath: z.string().optional(),
  files: z.array(Packed),
})
export type Manifest = z.infer<typeof Manifest>

export const manifestName = 'manifest.json'
export const databaseName = 'filestead.db'

export function parseManifest(text: string): Manifest {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw damaged()
  }
  const newer = z.object({ program: z.literal('filestead'), format: z.number(), version: z.string() }).safeParse(parsed)
  if (newer.success && newer.data.format > format) throw tooNew(newer.data.version)
  const manifest = Manifest.safeParse(parsed)
  if (!manifest.success || !isComplete(manifest.data)) throw damaged()
  return manifest.data
}

/** Whether the database is there, and the config file if there was one. */
function isComplete({ configPath, files }: Manifest): boolean {
  const names = configPath === undefined ? [databaseName] : [databaseName, configName(configPath)]
  return files.length === names.length && names.every((name) => files.some((file) => file.name === name))
}

export const configName = (configPath: string): string => `config${extname(configPath)}`

export const tooNew = (version: string): Failure =>
  new Failure('invalid', `the backup was made by Filestead ${version}, which is newer; install that version first`)

export const damaged = (): Failure => new Failure('invalid', 'the file is damaged, or it is no backup of Filestead')
