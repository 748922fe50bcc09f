import { isInside, nameOf } from '@filestead/contract'
import { timeSlices } from '../concurrency/time-slices.ts'
import { Failure } from '../failure.ts'
import { inFolder, parentOf, rebase, type VirtualPath } from '../storage/path.ts'
import { type Entry, LinkInTheWay, type Storage } from '../storage/port.ts'
import { scopeFolder } from '../users/home.ts'
import type { ShareDeps } from './shares.ts'
import { allShares, setThroughSymlink } from './store.ts'

type StorageAt = ShareDeps['storageAt']

/** A path of a scope as seen from the root, symlinks resolved: paths of different scopes can be compared by it. */
export interface ResolvedPath {
  /** Of the entry itself, be it a symlink or not. */
  readonly entry: VirtualPath
  /** Of what the entry leads to. */
  readonly target: VirtualPath
}

export interface ScopeResolver {
  resolve(path: VirtualPath): Promise<ResolvedPath>
  /** The path in this scope that leads to a path from the root; undefined outside of the scope. */
  pathTo(fromRoot: VirtualPath): string | undefined
}

/** Resolves the folder of each scope once, so it is made for one question and thrown away. */
export function scopeResolvers(storageAt: StorageAt): (scope: string) => Promise<ScopeResolver> {
  const resolvers = new Map<string, Promise<ScopeResolver>>()
  return (scope) => {
    const resolver = resolvers.get(scope) ?? resolverOf(storageAt, scope)
    resolvers.set(scope, resolver)
    return resolver
  }
}

async function resolverOf(storageAt: StorageAt, scope: string): Promise<ScopeResolver> {
  const base = await resolvedOrAsWritten(storageAt('/'), scopeFolder(scope))
  const storage = storageAt(scope)
  const targetOf = async (path: VirtualPath) => rebase(base, await resolvedOrAsWritten(storage, path))
  return {
    async resolve(path) {
      if (path === '/') return { entry: base, target: base }
      // Nearly always: one stat that follows nothing is much cheaper than resolving every segment.
      const found = await statUnfollowed(storage, path)
      if (found !== undefined && !found.isLink) return { entry: rebase(base, path), target: rebase(base, path) }
      return { entry: inFolder(await targetOf(parentOf(path)), nameOf(path)), target: await targetOf(path) }
    },
    pathTo: (path) => (isInside(path, base) ? (base === '/' ? path : path.slice(base.length) || '/') : undefined),
  }
}

/** Where a path of a scope lies if it has no symlink. */
export const pathAsWritten = (scope: string, path: VirtualPath): VirtualPath => rebase(scopeFolder(scope), path)

/** A path that leads out, or to nothing, stays as it is written: it is the same path in all scopes. */
async function resolvedOrAsWritten(storage: Storage, path: VirtualPath): Promise<VirtualPath> {
  try {
    return await storage.resolve(path)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return path
  }
}

/**
 * The entry at a path, as far as symlinks can be followed to it; the last name itself is not followed. Errors that
 * `isMissing` does not accept are thrown.
 */
export async function entryAt(
  storage: Storage,
  path: VirtualPath,
  isMissing: (error: Failure) => boolean = () => true,
): Promise<Entry | undefined> {
  const entry = await statUnfollowed(storage, path, isMissing)
  if (entry !== undefined || path === '/') return entry
  const folder = await resolvedOrAsWritten(storage, parentOf(path))
  return statUnfollowed(storage, inFolder(folder, nameOf(path)), isMissing)
}

async function statUnfollowed(
  storage: Storage,
  path: VirtualPath,
  isMissing: (error: Failure) => boolean = () => true,
): Promise<Entry | undefined> {
  try {
    return await storage.stat(path)
  } catch (error) {
    if (error instanceof LinkInTheWay || (error instanceof Failure && isMissing(error))) return undefined
    throw error
  }
}

/** Does the path of a share contain a symlink? Then the share lies elsewhere than its path says. */
export async function isThroughSymlink(resolver: ScopeResolver, scope: string, path: VirtualPath): Promise<boolean> {
  const text = pathAsWritten(scope, path)
  const { entry, target } = await resolver.resolve(path)
  return entry !== text || target !== text
}

/** Checks every share once after the start: symlinks may have come and gone while the server was not running. */
export async function checkSymlinks(
  { db, storageAt }: Pick<ShareDeps, 'db' | 'storageAt'>,
  signal: AbortSignal,
): Promise<void> {
  const resolvers = scopeResolvers(storageAt)
  const pause = timeSlices(signal)
  const [nowThrough, nowPlain]: [string[], string[]] = [[], []]
  for (const { link, scope, isThroughSymlink: was } of await allShares(db)) {
    const rest = pause()
    if (rest !== undefined) await rest
    const is = await isThroughSymlink(await resolvers(scope), scope, link.path as VirtualPath)
    if (is !== was) (is ? nowThrough : nowPlain).push(link.hash)
  }
  signal.throwIfAborted()
  await setThroughSymlink(db, nowThrough, true)
  await setThroughSymlink(db, nowPlain, false)
}
