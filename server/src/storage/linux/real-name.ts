import { readlinkSync } from 'node:fs'
import { posix } from 'node:path'
import { tolerating } from './errno.ts'

const mostSymlinks = 40

/**
 * A full name without symlinks. It ends where the name leads onto a file system that may not answer: what lies there is
 * not looked at, and stays as it was named.
 */
export function realNameOf(path: string, isRemote: (name: string) => boolean): string {
  let at = '/'
  let rest = partsOf(path)
  let symlinks = 0
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (isRemote(at)) return posix.join(at, name, ...rest)
    const next = posix.join(at, name)
    const target = tolerating(['EINVAL', 'ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG'], () => readlinkSync(next))
    if (target === undefined) at = next
    else {
      symlinks += 1
      if (symlinks > mostSymlinks) return path
      rest = [...partsOf(target), ...rest]
      if (target.startsWith('/')) at = '/'
    }
  }
  return at
}

const partsOf = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.')
