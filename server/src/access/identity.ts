import { mountOf, pathIn } from '../mounts/location.ts'
import type { Identity } from '../storage/entry.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Scope } from './scope.ts'

/**
 * Which file it is, of which mount, and which version of it: the key of whatever is kept of its content. Disks number their
 * files each for itself, servers elsewhere give them no number, and a version tells one file only from what it was before.
 */
export function identityOf(scope: Pick<Scope, 'locate'>, path: VirtualPath, { id, version }: Identity): string {
  const location = scope.locate(path)
  return [mountOf(location), id ?? pathIn(location), version].join('\0')
}
