import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Finding, findingsAbout } from './finding.ts'

const keys = findingsAbout('Keys')

/** The files with keys of buckets and other servers. Nothing where there are none. */
export async function examineKeys(folder: string): Promise<Finding[]> {
  const names = await readdir(folder).catch(() => [])
  if (names.length === 0) return []
  const open: string[] = []
  for (const path of [folder, ...names.map((name) => join(folder, name))]) {
    const found = await lstat(path).catch(() => undefined)
    // A folder that can be looked into shows names alone; one that others can write to lets them exchange keys.
    // The public half that ssh-keygen leaves beside a key is no secret either.
    const tooMuch = found?.isDirectory() === true || path.endsWith('.pub') ? 0o022 : 0o077
    if (found !== undefined && !found.isSymbolicLink() && (found.mode & tooMuch) !== 0) open.push(path)
  }
  if (open.length === 0) return [keys.good(`${folder} is closed to other accounts`)]
  return [
    keys.warning(
      `Other accounts of this machine can read or change ${open.join(', ')}.`,
      `Close them: chmod go= ${open.join(' ')}`,
    ),
  ]
}
