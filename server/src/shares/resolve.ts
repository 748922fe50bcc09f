import { timeSlices } from '../concurrency/time-slices.ts'
import { Failure } from '../failure.ts'
import { type Location, mountOf, mountRootOf, pathIn } from '../mounts/location.ts'
import { realPlaceOf, resolvedOrAsWritten } from '../mounts/resolved.ts'
import { type Entry, LinkInTheWay } from '../storage/port.ts'
import type { ShareDeps } from './shares.ts'
import { allShares, type Share, setThroughSymlink } from './store.ts'

type StorageAt = ShareDeps['storageAt']

/** A location with its symlinks resolved: whichever way leads to something, it is the same. */
export interface ResolvedLocation {
  /** Of the entry itself, be it a symlink or not. */
  readonly entry: Location
  /** Of what the entry leads to. */
  readonly target: Location
}

export async function resolveLocation(storageAt: StorageAt, location: Location): Promise<ResolvedLocation> {
  if (pathIn(location) === '/') return { entry: location, target: location }
  // Nearly always: one stat that follows nothing is much cheaper than resolving every segment.
  const found = await entryUnfollowed(storageAt, location)
  if (found !== undefined && !found.isLink) return { entry: location, target: location }
  return { entry: await realPlaceOf(storageAt, location), target: await resolvedOrAsWritten(storageAt, location) }
}

/**
 * The entry at a location, as far as symlinks can be followed to it; the last name itself is not followed. Errors that
 * `isMissing` does not accept are thrown.
 */
export async function entryAt(
  storageAt: StorageAt,
  location: Location,
  isMissing: (error: Failure) => boolean = () => true,
): Promise<Entry | undefined> {
  const entry = await entryUnfollowed(storageAt, location, isMissing)
  if (entry !== undefined || pathIn(location) === '/') return entry
  return entryUnfollowed(storageAt, await realPlaceOf(storageAt, location), isMissing)
}

async function entryUnfollowed(
  storageAt: StorageAt,
  location: Location,
  isMissing: (error: Failure) => boolean = () => true,
): Promise<Entry | undefined> {
  try {
    return await storageAt(mountRootOf(location)).stat(pathIn(location))
  } catch (error) {
    if (error instanceof LinkInTheWay || (error instanceof Failure && isMissing(error))) return undefined
    throw error
  }
}

/** Does a symlink stand on the way? Then what is shared lies elsewhere than its location says. */
export async function isThroughSymlink(storageAt: StorageAt, location: Location): Promise<boolean> {
  const { entry, target } = await resolveLocation(storageAt, location)
  return entry !== location || target !== location
}

/**
 * Checks every share once after the start: symlinks may have come and gone while the server was not running. Each mount
 * for itself, because one may not answer; what is in a mount that is not there is left as it is.
 */
export async function checkSymlinks(deps: Pick<ShareDeps, 'db' | 'storageAt'>, signal: AbortSignal): Promise<void> {
  const byMount = Map.groupBy(await allShares(deps.db), ({ location }) => mountOf(location))
  await Promise.all([...byMount.values()].map((shares) => checkMount(deps, shares, signal)))
}

async function checkMount(
  { db, storageAt }: Pick<ShareDeps, 'db' | 'storageAt'>,
  shares: readonly Share[],
  signal: AbortSignal,
): Promise<void> {
  const pause = timeSlices(signal)
  const [nowThrough, nowPlain]: [string[], string[]] = [[], []]
  for (const { link, location, isThroughSymlink: was } of shares) {
    const rest = pause()
    if (rest !== undefined) await rest
    const is = await isThroughSymlink(storageAt, location)
    if (is !== was) (is ? nowThrough : nowPlain).push(link.hash)
  }
  if (shares[0] !== undefined && !(await isThere(storageAt, shares[0].location))) return
  signal.throwIfAborted()
  await setThroughSymlink(db, nowThrough, true)
  await setThroughSymlink(db, nowPlain, false)
}

const isThere = async (storageAt: StorageAt, location: Location): Promise<boolean> =>
  (await entryUnfollowed(storageAt, mountRootOf(location))) !== undefined
