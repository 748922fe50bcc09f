import { accountName } from '../storage/linux/account.ts'

/** Why a system call was refused, in words; undefined for what is no error of a file. */
export function reasonOf(error: unknown): string | undefined {
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EPERM') return `account ${accountName()} has no permission`
  return reasons[code]
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EEXIST: 'there is such a file already',
  ENOTDIR: 'a folder of its path is a file',
  EISDIR: 'it is a folder',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the account is used up',
  ELOOP: 'its symlinks lead in a circle',
  ENAMETOOLONG: 'the name is too long',
}

/** The line for an error of a file; undefined for others. */
export function lineOfSystemError(error: unknown): string | undefined {
  const { path } = (error ?? {}) as NodeJS.ErrnoException
  const reason = reasonOf(error)
  return path === undefined || reason === undefined ? undefined : `${path} cannot be used: ${reason}`
}
