import type { VirtualPath } from '../path.ts'
import { nameLocks } from '../remote/name-locks.ts'
import { lstat, type Session } from './client.ts'
import { translated } from './failures.ts'
import { type FoldersOnTheWay, foldersOnTheWay } from './folders.ts'
import type { Attributes } from './packets.ts'

/** What all verbs of a mount share. */
export interface Place {
  readonly folders: FoldersOnTheWay
  /** For what is answered in a moment. */
  lookups(): Promise<Session>
  /** A connection of its own for the bytes of files, so that a listing does not wait behind a film. */
  transfers(): Promise<Session>
  /** Work on a path whose folders are all there and no links. Refusals of the server are told as failures. */
  at<T>(path: VirtualPath, work: (session: Session) => Promise<T>): Promise<T>
  /** The same for bytes, by a session of the other connection. */
  bytesAt<T>(path: VirtualPath, work: (session: Session) => Promise<T>): Promise<T>
  /** What has a name, looked at together with the folders on the way: one round trip. */
  lookAt(session: Session, path: VirtualPath): Promise<Attributes | undefined>
  /** The same for what is open already, or about to be changed: all folders are looked at anew. */
  lookAnew(session: Session, path: VirtualPath): Promise<Attributes | undefined>
  /** One change of a name at a time: what is looked at stays so until it is changed, as far as this process is concerned. */
  alone<T>(path: VirtualPath, work: () => Promise<T>): Promise<T>
}

export function placeOf(lookups: () => Promise<Session>, transfers: () => Promise<Session>): Place {
  const folders = foldersOnTheWay()
  const locks = nameLocks()

  const through =
    (sessions: () => Promise<Session>) =>
    async <T>(path: VirtualPath, work: (session: Session) => Promise<T>): Promise<T> => {
      const session = await sessions()
      return translated(session, async () => {
        await folders.require(session, path)
        return work(session)
      })
    }

  return {
    folders,
    lookups,
    transfers,
    at: through(lookups),
    bytesAt: through(transfers),
    async lookAt(session, path) {
      const [present] = await Promise.all([lstat(session, path), folders.require(session, path)])
      return present
    },
    async lookAnew(session, path) {
      const [present] = await Promise.all([lstat(session, path), folders.requireStill(session, path)])
      return present
    },
    alone: (path, work) => locks.run(path, work),
  }
}
