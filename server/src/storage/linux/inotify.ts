import { ptr } from 'bun:ffi'
import { Errno } from './errno.ts'
import { check, lastErrno, libc, O, SYS, text } from './libc.ts'

/** What the kernel tells of a folder that is watched. */
export interface FolderEvent {
  /** Of `addWatch`; -1 where the kernel had more to tell than it keeps. */
  readonly watch: number
  readonly mask: number
  /** Empty where the folder itself is meant. What is not UTF-8 has replacement marks. */
  readonly name: string
}

export const IN = {
  MODIFY: 0x2,
  ATTRIB: 0x4,
  CLOSE_WRITE: 0x8,
  MOVED_FROM: 0x40,
  MOVED_TO: 0x80,
  CREATE: 0x100,
  DELETE: 0x200,
  DELETE_SELF: 0x400,
  MOVE_SELF: 0x800,
  UNMOUNT: 0x2000,
  Q_OVERFLOW: 0x4000,
  IGNORED: 0x8000,
  ONLYDIR: 0x1000000,
  EXCL_UNLINK: 0x4000000,
  MASK_ADD: 0x20000000,
} as const

/** The folder's own name and rights; which names are in it; and what changes about them. */
const ofItself = IN.ATTRIB | IN.DELETE_SELF | IN.MOVE_SELF
const ofNames = ofItself | IN.MOVED_FROM | IN.MOVED_TO | IN.CREATE | IN.DELETE
const ofAll = ofNames | IN.MODIFY | IN.CLOSE_WRITE

const watchMasks = {
  itself: ofItself,
  names: ofNames,
  all: ofAll,
  /** Not what is written to a file by a name that is gone. */
  present: ofAll | IN.EXCL_UNLINK,
} as const

/** A queue of the kernel, which takes watches of any thread of this process. Fails where the system has no more of them. */
export const openInotify = (): number =>
  check('inotify_init1', libc.syscall(SYS.inotify_init1, O.NONBLOCK | O.CLOEXEC, 0, 0, 0, 0))

/**
 * Watches an open folder; the same one again has the same number, and is told of for both reasons. May wait for the disk. A file
 * that was opened by a name which is gone may have another one by now: what is written to it then is told by the old name.
 */
export function addWatch(inotify: number, folder: number, what: keyof typeof watchMasks): number {
  const mask = watchMasks[what] | IN.ONLYDIR | IN.MASK_ADD
  return check(
    'inotify_add_watch',
    libc.syscall(SYS.inotify_add_watch, inotify, text(`/proc/self/fd/${folder}`), mask, 0, 0),
  )
}

/** One that is gone by itself is fine. Waits for nothing. */
export function removeWatch(inotify: number, watch: number): void {
  libc.syscall(SYS.inotify_rm_watch, inotify, watch, 0, 0, 0)
}

// On an array buffer of its own: a small one moves, and its pointer goes stale.
const bytes = Buffer.from(new ArrayBuffer(64 * 1024))
const view = new DataView(bytes.buffer)
const bytesAt = ptr(bytes)
const headLength = 16

/** What has happened since the last time, up to a buffer full. Waits for nothing. */
export function readEvents(inotify: number): FolderEvent[] {
  const length = Number(libc.syscall(SYS.read, inotify, bytesAt, bytes.length, 0, 0))
  if (length < 0) {
    const code = lastErrno()
    if (code === 'EAGAIN' || code === 'EINTR') return []
    throw new Errno(code, 'read')
  }
  const events: FolderEvent[] = []
  for (let at = 0; at + headLength <= length; ) {
    const room = view.getUint32(at + 12, true)
    const start = at + headLength
    const end = bytes.indexOf(0, start)
    const nameEnd = room === 0 ? start : end === -1 ? start + room : Math.min(end, start + room)
    events.push({
      watch: view.getInt32(at, true),
      mask: view.getUint32(at + 4, true),
      name: bytes.toString('utf8', start, nameEnd),
    })
    at = start + room
  }
  return events
}
