import { Failure } from '../../failure.ts'
import type { Entry } from '../entry.ts'
import { hiddenBeside, type VirtualPath } from '../path.ts'
import type { RemoteDraft, RemoteWrite } from '../remote/files.ts'
import { close, fstat, type Handle, lstat, open, type Session, setAttributes, sync, unlink } from './client.ts'
import { toSeconds } from './entries.ts'
import { openFlag } from './packets.ts'
import type { Place } from './place.ts'
import { publish } from './publish.ts'
import { mostUnderWay, readRange, writeFrom } from './transfer.ts'

/** Permission bits of what is made. */
export const newFileMode = 0o640
export const newFolderMode = 0o750

export interface SftpDrafts {
  begin(path: VirtualPath, id: string): Promise<number>
  open(path: VirtualPath, id: string): Promise<RemoteDraft>
  drop(path: VirtualPath, id: string): Promise<void>
  /** Makes one, has the work fill it, and gives it the name; whatever happens, no draft is left. */
  once(path: VirtualPath, options: OnceOptions, fill: (handle: Handle) => Promise<number>): Promise<Entry>
}

export interface OnceOptions extends Pick<RemoteWrite, 'precondition'> {
  /** In seconds. */
  readonly modified?: number | undefined
  readonly mode?: number | undefined
}

interface Commit extends RemoteWrite {
  /** There are bytes behind it that are not trusted. */
  readonly isLonger: boolean
}

/** Names of drafts that belong to one request alone: where a crash leaves one, it is removed after `abandonedAfter`. */
export const onceId = (): string => `once-${crypto.randomUUID()}`

/** Hidden files beside the file that they become. The size of one is the truth about it, also after a restart. */
export function sftpDrafts(place: Place): SftpDrafts {
  /** How many bytes of a draft are known to be there without a gap, because this process has written them. */
  const known = new Map<VirtualPath, number>()

  const withDraft = <T>(draft: VirtualPath, flags: number, work: (handle: Handle, session: Session) => Promise<T>) =>
    place.bytesAt(draft, async (session) => {
      await place.folders.requireStill(session, draft)
      const handle = await open(session, draft, flags, newFileMode)
      try {
        return await work(handle, session)
      } finally {
        close(handle)
      }
    })

  /**
   * How many bytes are there without a gap, and how many in all. OpenSSH writes in the order of the requests. Others may have
   * written later pieces before the connection broke, and not the earlier ones: what was under way then is not trusted.
   */
  async function sizesOf(draft: VirtualPath, handle: Handle): Promise<{ sound: number; all: number }> {
    const { size: all = 0 } = await fstat(handle)
    if (handle.session.has('openssh')) return { sound: all, all }
    return { sound: Math.min(all, known.get(draft) ?? Math.max(0, all - mostUnderWay)), all }
  }

  async function cut(draft: VirtualPath, handle: Handle, size: number): Promise<void> {
    await setAttributes(handle, { size })
    known.set(draft, size)
  }

  async function commit(draft: VirtualPath, path: VirtualPath, size: number, options: Commit): Promise<Entry> {
    return place.alone(path, () =>
      withDraft(draft, openFlag.read | openFlag.write, async (handle, session) => {
        if (options.length !== undefined && options.length !== size)
          throw new Failure('incomplete', 'There are fewer or more bytes than were announced')
        if (options.isLonger) await cut(draft, handle, size)
        const modified = options.modified === undefined ? undefined : toSeconds(options.modified)
        const publication = { handle, draft, to: path, precondition: options.precondition, size, modified }
        const entry = await publish(place, session, publication)
        known.delete(draft)
        return entry
      }),
    )
  }

  return {
    async begin(path, id) {
      const draft = hiddenBeside(path, id)
      const flags = openFlag.read | openFlag.write | openFlag.create
      const { sound } = await withDraft(draft, flags, (handle) => sizesOf(draft, handle))
      return sound
    },

    async open(path, id) {
      const draft = hiddenBeside(path, id)
      const { sound, all } = await withDraft(draft, openFlag.read | openFlag.write, (handle) => sizesOf(draft, handle))
      let size = sound
      // Cut with the first change, and not by a look: another request may be writing it.
      let isLonger = sound < all

      return {
        get size() {
          return size
        },
        append: (bytes) =>
          withDraft(draft, openFlag.write, async (handle, session) => {
            if (isLonger) await cut(draft, handle, size)
            isLonger = false
            try {
              await writeFrom(handle, size, bytes, (end) => {
                size = end
                known.set(draft, end)
              })
            } catch (error) {
              // Pieces behind one that was refused are no part of it.
              if (!session.channel.isLost) await setAttributes(handle, { size }).catch(() => {})
              throw error
            }
          }),
        read: (start, end) =>
          withDraft(draft, openFlag.read, async (handle) => {
            const pieces: Uint8Array[] = []
            for await (const piece of readRange(handle, start, Math.min(end, size))) pieces.push(piece)
            return Buffer.concat(pieces)
          }),
        truncate: (shorter) =>
          withDraft(draft, openFlag.write, async (handle) => {
            await cut(draft, handle, shorter)
            size = shorter
            isLonger = false
          }),
        sync: () => withDraft(draft, openFlag.write, sync),
        commit: (options) => commit(draft, path, size, { ...options, isLonger }),
      }
    },

    async drop(path, id) {
      const draft = hiddenBeside(path, id)
      known.delete(draft)
      await place
        .at(draft, async (session) => {
          if ((await lstat(session, draft)) !== undefined) await unlink(session, draft)
        })
        .catch((error) => {
          if (error?.code !== 'not-found') throw error
        })
    },

    async once(path, { precondition, modified, mode }, fill) {
      const draft = hiddenBeside(path, onceId())
      try {
        return await withDraft(
          draft,
          openFlag.read | openFlag.write | openFlag.create | openFlag.exclusive,
          async (handle, session) => {
            const size = await fill(handle)
            return place.alone(path, () =>
              publish(place, session, { handle, draft, to: path, precondition, size, modified, mode }),
            )
          },
        )
      } catch (error) {
        await place.at(draft, (session) => unlink(session, draft)).catch(() => {})
        throw error
      }
    },
  }
}
