import { Failure } from '../../failure.ts'
import type { Entry } from '../entry.ts'
import { withoutPrivileges } from '../linux/modes.ts'
import { inFolder, movingPrefix, parentOf, type VirtualPath } from '../path.ts'
import type { Precondition } from '../port.ts'
import { requireVersion } from '../version.ts'
import { StatusError } from './channel.ts'
import {
  fstat,
  type Handle,
  link,
  lstat,
  rename,
  renameOver,
  type Session,
  setAttributes,
  sync,
  unlink,
} from './client.ts'
import { ServerAway } from './connection.ts'
import { entryAt, kindOf, timeFor } from './entries.ts'
import { changed, failureOf, folderThere, isVague, notFound, taken } from './failures.ts'
import type { Attributes } from './packets.ts'
import type { Place } from './place.ts'

/** What has the name now. Refuses what the precondition does not want. */
export async function requireFree(
  place: Place,
  session: Session,
  path: VirtualPath,
  precondition: Precondition,
  linkGivesWay = false,
): Promise<Attributes | undefined> {
  const present = await place.lookAnew(session, path)
  const kind = kindOf(present)
  if (kind === 'folder') throw folderThere()
  if (precondition === 'absent' && present !== undefined) throw taken()
  if (kind === 'link' && !linkGivesWay) throw changed()
  if (present === undefined) {
    if (precondition === 'absent' || precondition === 'any') return undefined
    throw notFound()
  }
  requireVersion(precondition, entryAt(path, present))
  return present
}

export interface Publication {
  /** The draft, open to be written; it is whole. */
  readonly handle: Handle
  readonly draft: VirtualPath
  readonly to: VirtualPath
  readonly precondition: Precondition
  readonly size: number
  /** In seconds; now, if it is not given. */
  readonly modified: number | undefined
  /** Permission bits, where they are not those of the file that is replaced. */
  readonly mode?: number | undefined
}

/**
 * The draft gets the name of the file. The caller lets nothing else of this process publish there meanwhile. Where the answer
 * to the last step was lost, another session tells whether it was done.
 */
export async function publish(place: Place, session: Session, publication: Publication): Promise<Entry> {
  const { handle, draft, to, precondition, size } = publication
  const [replaced] = await Promise.all([requireFree(place, session, to, precondition), sync(handle)])
  const modified = timeFor(publication.modified, size, replaced)
  const mode = publication.mode ?? replaced?.permissions
  const attributes = await withAttributes(handle, { modified, permissions: mode && withoutPrivileges(mode & 0o7777) })
  if (attributes.size !== size) throw new Failure('incomplete', 'The draft has not the size that it should have')
  try {
    await moveFile(session, draft, to, precondition === 'absent' || replaced === undefined)
  } catch (error) {
    if (!(error instanceof ServerAway)) throw error
    await requirePublished(await place.transfers(), publication, modified)
  }
  return entryAt(to, attributes)
}

/** Gives a draft its time and mode, and tells what it is then. Only OpenSSH is known to keep the order of requests. */
async function withAttributes(handle: Handle, wanted: Attributes): Promise<Attributes> {
  try {
    const set = setAttributes(handle, wanted)
    if (!handle.session.has('openssh')) await set
    const [attributes] = await Promise.all([fstat(handle), set])
    return attributes
  } catch (error) {
    // The account may not be allowed to set the mode, for example of a group that it is not in. The content counts.
    if (!(error instanceof StatusError) || wanted.permissions === undefined) throw error
    return withAttributes(handle, { modified: wanted.modified })
  }
}

/** Was the step carried out whose answer was lost? */
async function requirePublished(session: Session, { draft, to, size }: Publication, modified: number): Promise<void> {
  const [left, there] = await Promise.all([lstat(session, draft), lstat(session, to)])
  if (left === undefined && there?.size === size && there.modified === modified) return
  throw new ServerAway('The connection was lost while a file was saved; its draft is kept')
}

/** To a name that is free, or over a file. Refuses, in that very step where the server can, what has taken a free name. */
export async function moveFile(session: Session, from: VirtualPath, to: VirtualPath, isFree: boolean): Promise<void> {
  try {
    if (isFree) await moveToFree(session, from, to)
    else if (session.has('replacingRename')) await renameOver(session, from, to)
    else await swap(session, from, to)
  } catch (error) {
    if (!isVague(error)) throw await failureOf(error, session)
    const present = kindOf(await lstat(session, to))
    if (present === 'folder') throw folderThere()
    if (present !== undefined && isFree) throw taken()
    throw await failureOf(error, session)
  }
}

async function moveToFree(session: Session, from: VirtualPath, to: VirtualPath): Promise<void> {
  // OpenSSH never replaces a file by a plain rename. Of others that is not known, but a link never replaces anything.
  if (session.has('openssh')) return rename(session, from, to)
  if (session.has('link')) {
    const isLinked = await link(session, from, to).then(
      () => true,
      // A file system without links, or the name is taken.
      (error) => (error instanceof StatusError ? false : Promise.reject(error)),
    )
    if (isLinked) return unlink(session, from)
  }
  if ((await lstat(session, to)) !== undefined) throw taken()
  await rename(session, from, to)
}

/** Without a rename that replaces, the old file steps aside first. What goes wrong then leaves it under a name that is never removed. */
async function swap(session: Session, from: VirtualPath, to: VirtualPath): Promise<void> {
  const aside = inFolder(parentOf(to), `${movingPrefix}${crypto.randomUUID()}`)
  await rename(session, to, aside)
  try {
    await rename(session, from, to)
  } catch (error) {
    await rename(session, aside, to).catch(() => {})
    throw error
  }
  await unlink(session, aside)
}
