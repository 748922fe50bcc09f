import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './process.ts'

const project = join(import.meta.dirname, '../..')

/** A release of the sources as they are: its folder, archives, package and channel files. Built once for all test files. */
export async function builtRelease(): Promise<string> {
  const results = join(project, 'results')
  const folder = join(results, `release-${fingerprint()}`)
  const lock = `${folder}.lock`
  mkdirSync(results, { recursive: true })
  // The other test process may be building it.
  await until(() => existsSync(folder) || isTaken(lock), 600_000)
  if (existsSync(folder)) return folder
  try {
    for (const stale of readdirSync(results).filter((name) => /^release-\w+(\.part)?$/.test(name)))
      rmSync(join(results, stale), { recursive: true, force: true })
    const script = join(project, 'scripts/build.mjs')
    execFileSync('node', [script, '--as-it-is', '--light', '--out', `${folder}.part`], { stdio: 'pipe' })
    renameSync(`${folder}.part`, folder)
  } finally {
    rmSync(lock)
  }
  return folder
}

/** A link that names its process: made and read in one step. A process that was killed leaves its lock. */
function isTaken(lock: string): boolean {
  try {
    symlinkSync(String(process.pid), lock)
    return true
  } catch {
    if (!isAlive(lock)) rmSync(lock, { force: true })
    return false
  }
}

function isAlive(lock: string): boolean {
  try {
    return process.kill(Number(readlinkSync(lock)), 0)
  } catch {
    return false
  }
}

/** By names, sizes and times of all files that a release is made of. */
function fingerprint(): string {
  const hash = createHash('sha256')
  const parts = ['server/src', 'contract/src', 'web/dist', 'scripts', 'packaging', 'docs', 'package-lock.json']
  for (const part of parts)
    for (const file of filesIn(join(project, part))) {
      const { size, mtimeMs } = statSync(file)
      hash.update(`${file} ${size} ${mtimeMs}\n`)
    }
  return hash.digest('hex').slice(0, 12)
}

function filesIn(path: string): string[] {
  if (statSync(path).isFile()) return [path]
  const names = readdirSync(path).sort()
  return names.flatMap((name) => filesIn(join(path, name)))
}
