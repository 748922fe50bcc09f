import { Failure } from '../../failure.ts'
import { rootPath, type VirtualPath } from '../path.ts'
import { StatusError } from './channel.ts'
import { type Session, spaceAt } from './client.ts'
import { ServerAway } from './connection.ts'
import { status } from './packets.ts'

export const notFound = (): Failure => new Failure('not-found', 'There is no such file or folder')
export const taken = (): Failure => new Failure('already-exists', 'This name is taken')
export const folderThere = (): Failure => new Failure('already-exists', 'A folder has this name')
export const notEmpty = (): Failure => new Failure('already-exists', 'The folder is not empty')
export const changed = (): Failure => new Failure('changed-meanwhile', 'The file was changed meanwhile')
const full = (): Failure => new Failure('no-space', 'The disk of the server is full')
const readOnly = (): Failure =>
  new Failure('forbidden', 'The server has these files on a file system that is read-only')
const denied = (): Failure =>
  new Failure('forbidden', 'Permission denied: the account on the server may not do that here')

export const isVague = (error: unknown): boolean =>
  error instanceof StatusError && error.status !== status.denied && error.status !== status.badMessage

/** What a refusal of the server means. Most reasons are one code, 'Failure': then the file system is asked, too. */
export async function failureOf(error: unknown, session: Session, path: VirtualPath = rootPath): Promise<unknown> {
  if (error instanceof RangeError) return new ServerAway('the server does not speak SFTP as it should')
  if (!(error instanceof StatusError)) return error
  if (error.status === status.noSuchFile) return notFound()
  if (error.status === status.denied) return denied()
  if (error.status === status.badMessage) return new Failure('invalid', 'the server does not take this name')
  if (error.status === status.unsupported) return new Failure('invalid', 'the server cannot do that')
  if (/space|quota/i.test(error.text)) return full()
  const space = await spaceAt(session, path).catch(() => undefined)
  if (space?.isReadOnly) return readOnly()
  if (space !== undefined && space.total > 0 && space.available === 0) return full()
  return new Failure('forbidden', 'The server refused this and did not say why', { cause: error })
}

/** Work whose refusals are told as failures. */
export async function translated<T>(session: Session, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw await failureOf(error, session)
  }
}
