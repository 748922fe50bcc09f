import { Failure } from '../../failure.ts'
import { foldersAbove, type VirtualPath } from '../path.ts'
import { lstat, type Session } from './client.ts'
import { kindOf } from './entries.ts'
import { notFound } from './failures.ts'

/** In milliseconds: so long a folder that was seen counts as one. */
const trustedFor = 1000

/**
 * A server follows links wherever they stand in a path, and one may lead out of the mount, or to where other rights hold.
 * So every folder on the way is looked at before a path is used, all in one round trip.
 */
export interface FoldersOnTheWay {
  require(session: Session, path: VirtualPath): Promise<void>
  /**
   * The same for what is open already or about to be changed, and trusts nothing that was seen before: a folder may have
   * given way to a link since. Where a link takes its place within the round trips between this look and the change, or
   * gives way to the folder again, is not noticed: the protocol works by paths alone.
   */
  requireStill(session: Session, path: VirtualPath): Promise<void>
  /** Something that may have been a folder has gone or moved. */
  forget(): void
}

export function foldersOnTheWay(now = () => performance.now()): FoldersOnTheWay {
  const seen = new Map<VirtualPath, number>()

  async function requireFolder(session: Session, folder: VirtualPath): Promise<void> {
    seen.delete(folder)
    const kind = kindOf(await lstat(session, folder))
    if (kind === undefined) throw notFound()
    if (kind === 'link')
      throw new Failure('not-found', 'A link stands in the way: links of this server are not followed')
    if (kind !== 'folder') throw new Failure('not-found', 'Part of the path is a file, not a folder')
    if (seen.size >= 10_000) seen.clear()
    seen.set(folder, now() + trustedFor)
  }

  async function requireAll(session: Session, folders: readonly VirtualPath[]): Promise<void> {
    const looks = folders.map((folder) => requireFolder(session, folder))
    for (const look of looks) look.catch(() => {})
    // In the order of the path, so that the first folder that is none gives the reason.
    for (const look of looks) await look
  }

  return {
    require: (session, path) =>
      requireAll(
        session,
        outerFirst(path).filter((folder) => (seen.get(folder) ?? 0) < now()),
      ),
    requireStill: (session, path) => requireAll(session, outerFirst(path)),
    forget: () => seen.clear(),
  }
}

const outerFirst = (path: VirtualPath): VirtualPath[] => foldersAbove(path).toReversed()
