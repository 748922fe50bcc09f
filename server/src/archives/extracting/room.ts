import type { Scope } from '../../access/scope.ts'
import { Failure } from '../../failure.ts'
import type { VirtualPath } from '../../storage/path.ts'

/** In bytes, or as a part of the disk, whichever is less: so much is left free for others. */
const reserve = { bytes: 1 << 30, part: 0.05 }

/** Refuses what does not fit beside what the server and others need. */
export async function requireRoom(scope: Scope, folder: VirtualPath, bytes: number): Promise<void> {
  const { total, used } = await usageAbove(scope, folder)
  // Zero where a storage cannot tell.
  if (total === 0) return
  const kept = Math.min(reserve.bytes, total * reserve.part)
  if (bytes > total - used - kept) throw new Failure('no-space', 'There is not enough room on the disk')
}

/** The folder itself may be made with what goes into it. */
async function usageAbove(scope: Scope, folder: VirtualPath): Promise<{ total: number; used: number }> {
  return scope.usage(folder).catch(() => ({ total: 0, used: 0 }))
}
