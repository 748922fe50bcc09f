import type { FailureCode } from '@filestead/contract'
import { Failure } from '../../failure.ts'
import { LinkInTheWay } from '../port.ts'

/** What a call to the system failed with. */
export class Errno extends Error {
  constructor(
    readonly code: string,
    call: string,
  ) {
    super(`${code} (${call})`)
  }
}

const failureOf: Record<string, [FailureCode, string] | undefined> = {
  ENOENT: ['not-found', 'There is no such file or folder'],
  ENOTDIR: ['not-found', 'Part of the path is a file, not a folder'],
  EISDIR: ['already-exists', 'A folder has this name'],
  EEXIST: ['already-exists', 'This name is taken'],
  ENOTEMPTY: ['already-exists', 'The folder is not empty'],
  EACCES: ['forbidden', 'Permission denied: the account of the server may not do that here'],
  EPERM: ['forbidden', 'Permission denied: the account of the server may not do that here'],
  EROFS: ['forbidden', 'This file system is read-only'],
  ETXTBSY: ['forbidden', 'The file is being executed'],
  EBUSY: ['forbidden', 'The file or folder is in use by the system'],
  ENAMETOOLONG: ['invalid', 'the name is too long'],
  EINVAL: ['invalid', 'the file system does not take this name'],
  EILSEQ: ['invalid', 'the file system does not take this name'],
  EMLINK: ['invalid', 'the folder cannot hold more folders'],
  ENXIO: ['invalid', 'this is not a regular file'],
  ENODEV: ['invalid', 'this is not a regular file'],
  EXDEV: ['forbidden', 'The path leads out of the folder'],
  EFBIG: ['too-large', 'The file is larger than the file system allows'],
  ENOSPC: ['no-space', 'The disk is full'],
  EDQUOT: ['no-space', 'The quota is used up'],
  EAGAIN: ['unavailable', 'Another program holds the file'],
  ENOTCONN: ['unavailable', 'The disk does not answer'],
  ETIMEDOUT: ['unavailable', 'The disk does not answer'],
  EHOSTDOWN: ['unavailable', 'The disk does not answer'],
  EHOSTUNREACH: ['unavailable', 'The disk does not answer'],
  EMFILE: ['unavailable', 'Too many files are open'],
  ENFILE: ['unavailable', 'Too many files are open'],
}

/** The only place that knows what an errno means to the product. */
export function toFailure(error: unknown): unknown {
  const code = codeOf(error)
  if (code === 'ELOOP') return new LinkInTheWay()
  const known = code === undefined ? undefined : failureOf[code]
  // An errno we do not know is a bug or a broken disk: let it surface with its stack.
  return known === undefined ? error : new Failure(known[0], known[1], { cause: error })
}

export async function translated<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toFailure(error)
  }
}

/** Runs what may find nothing there; any other trouble goes on. */
export function tolerating<T>(codes: string[], work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}

/** Where a file system has no second names, or has too many of this file; over rclone EIO says so. */
export const noLinks = ['EPERM', 'EACCES', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV', 'EIO']

/** Did it work? False for one of these refusals; any other trouble goes on. */
export function succeeds(refusals: string[], work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (refusals.includes(codeOf(error) ?? '')) return false
    throw error
  }
}

/** The errno of a call of this adapter or of node:fs; a `Failure` has a code too, but it is past all that. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof Failure) return undefined
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  return typeof code === 'string' ? code : undefined
}
