import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { Failure } from '../../failure.ts'
import { lastErrno, libc } from '../../storage/linux/libc.ts'

/** A file opened for reading, whose errors name it. */
export interface ReadOnlyFile {
  readonly name: string
  readonly size: number
  /** Reads exactly these bytes; a shorter file is damaged. */
  read(at: number, length: number): Buffer
  damage(what: string): Failure
  close(): void
}

/** Opens a file with a shared lock, which keeps BoltDB's writer away. */
export function openReadOnly(name: string): ReadOnlyFile {
  const fd = opened(name)
  const close = () => closeSync(fd)
  const damage = (what: string) => new Failure('invalid', `${name} is damaged: ${what}`)
  const found = fstatSync(fd)
  if (!found.isFile() || isLockedByAnother(fd)) {
    close()
    throw found.isFile()
      ? new Failure('locked', `${name} is in use: stop File Browser first, it still holds its database`)
      : new Failure('invalid', `${name} is not a file`)
  }
  return {
    name,
    size: found.size,
    read(at, length) {
      const isShort = () => damage(`it ends after ${found.size} bytes, but ${at + length} are needed`)
      if (at + length > found.size) throw isShort()
      const bytes = Buffer.allocUnsafe(length)
      for (let done = 0; done < length; ) {
        const count = readSync(fd, bytes, done, length - done, at + done)
        if (count === 0) throw isShort()
        done += count
      }
      return bytes
    },
    damage,
    close,
  }
}

function opened(name: string): number {
  try {
    return openSync(name, constants.O_RDONLY)
  } catch {
    throw new Failure('not-found', `${name} cannot be read`)
  }
}

/** Constants of flock(2). */
const [LOCK_SH, LOCK_NB] = [1, 4]

/**
 * Takes a shared lock until the file is closed. BoltDB's writer holds an exclusive one; on a file system without locks
 * the writer has none either.
 */
const isLockedByAnother = (fd: number): boolean => libc.flock(fd, LOCK_SH | LOCK_NB) !== 0 && lastErrno() === 'EAGAIN'
