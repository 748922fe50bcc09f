import type { Cancellation } from '../../concurrency/cancellation.ts'
import { Failure } from '../../failure.ts'
import type { Kernel, Stat } from '../linux/kernel.ts'
import { requireNotMoving } from './leaving.ts'
import type { Spot } from './place.ts'
import { walkTree } from './trees.ts'

/** What it depends on whether a name can be taken out of a folder. */
export interface Surroundings {
  readonly isWritable: boolean
  readonly folder: Stat
}

export const surroundingsOf = (kernel: Kernel, folder: number): Surroundings => ({
  isWritable: kernel.isWritable(folder),
  folder: kernel.statOpen(folder),
})

const stickyBit = 0o1000
/** Attributes of statx: may not be changed; may only grow; something is mounted there. */
const [immutable, appendOnly, mountRoot] = [0x10, 0x20, 0x2000]

/** Refuses what the system would not let go, as far as one can tell without trying. */
export function requireUnlocked(
  { isWritable, folder }: Surroundings,
  { name, stat }: { name: string; stat: Pick<Stat, 'uid' | 'attributes'> },
) {
  requireNotMoving(name)
  const user = process.geteuid?.() ?? 0
  const isOthers = (folder.mode & stickyBit) !== 0 && user !== 0 && user !== folder.uid && user !== stat.uid
  const isLocked = ((stat.attributes | (folder.attributes & ~mountRoot)) & (immutable | appendOnly | mountRoot)) !== 0
  if (!isWritable || isOthers || isLocked)
    throw new Failure('forbidden', `${JSON.stringify(name)} cannot be taken out of its folder, so nothing was changed`)
}

/** Asked before the first name goes: a removal that is refused has removed nothing. */
export const requireRemovable = (kernel: Kernel, spot: Spot, signal?: Cancellation): Promise<void> =>
  walkTree<{ around?: Surroundings }>(
    kernel,
    spot,
    {},
    {
      file(folder, item, level) {
        signal?.throwIfAborted()
        level.around ??= surroundingsOf(kernel, folder)
        requireUnlocked(level.around, item)
      },
      below(folder, item, level) {
        signal?.throwIfAborted()
        level.around ??= surroundingsOf(kernel, folder)
        requireUnlocked(level.around, item)
        return {}
      },
    },
  )
