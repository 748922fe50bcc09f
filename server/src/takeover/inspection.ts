import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isInside, parentOf } from '@filestead/contract'

/** Reads the served files for the report of a takeover. An error counts as a missing file. */
export interface FileInspection {
  folder(scope: string): boolean
  /** `unknown` after the time limit: a start must not wait for a slow disk. */
  entry(scope: string, path: string): 'there' | 'missing' | 'outside' | 'unknown'
  /** Paths of symlinks below the root that lead out of one of these scopes. */
  linksLeaving(scopes: ReadonlySet<string>): Generator<string>
  /** False once the time limit cut it short. */
  isComplete(): boolean
}

export interface InspectionOptions {
  /** In milliseconds. */
  timeLimit?: number
  /** With --followExternalSymlinks none is outside. */
  followsLinks: boolean
}

/** Undefined where the root does not exist. */
export function inspectFiles(
  root: string,
  { timeLimit = Number.POSITIVE_INFINITY, followsLinks }: InspectionOptions,
): FileInspection | undefined {
  if (!isFolder(root)) return undefined
  const deadline = Date.now() + timeLimit
  let isCut = false
  const isLate = () => {
    if (Date.now() > deadline) isCut = true
    return isCut
  }
  const bases = new Map<string, string | undefined>()
  const baseOf = (scope: string): string | undefined => {
    if (!bases.has(scope)) bases.set(scope, realOf(join(root, scope)))
    return bases.get(scope)
  }
  const leaves = (scope: string, real: string): boolean => {
    const base = baseOf(scope)
    return !followsLinks && base !== undefined && !isInside(real, base)
  }

  return {
    folder: (scope) => isLate() || isFolder(join(root, scope)),
    entry(scope, path) {
      if (isLate()) return 'unknown'
      const real = realOf(join(root, scope, path))
      if (real === undefined) return 'missing'
      return leaves(scope, real) ? 'outside' : 'there'
    },
    *linksLeaving(scopes) {
      if (followsLinks) return
      for (const path of linksBelow(root, isLate)) {
        const real = realOf(join(root, path))
        const around = foldersAround(path).filter((folder) => scopes.has(folder))
        // The folder of a user that is a link itself may lead anywhere in the root.
        const leavesRoot = (real: string) => scopes.has(path) && leaves('/', real)
        if (real !== undefined && (leavesRoot(real) || around.some((scope) => leaves(scope, real)))) yield path
      }
    },
    isComplete: () => !isCut,
  }
}

/** Breadth first; symlinks are yielded, not followed. */
function* linksBelow(root: string, isLate: () => boolean): Generator<string> {
  const waiting = ['/']
  for (let folder = waiting.shift(); folder !== undefined && !isLate(); folder = waiting.shift())
    for (const entry of entriesIn(join(root, folder))) {
      const path = folder === '/' ? `/${entry.name}` : `${folder}/${entry.name}`
      if (entry.isSymbolicLink()) yield path
      else if (entry.isDirectory()) waiting.push(path)
    }
}

function foldersAround(path: string): string[] {
  const folders: string[] = []
  for (let at = path; at !== '/'; ) {
    at = parentOf(at)
    folders.push(at)
  }
  return folders
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
