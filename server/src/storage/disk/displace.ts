import type { Kernel, Stat } from '../linux/kernel.ts'
import type { Disk } from './disk.ts'
import type { NameAt } from './target.ts'

/** How a thing loses its place: its name goes, another thing takes its name, or its bytes are overwritten. */
export type Displacement = 'removed' | 'replaced' | 'overwritten'

/** What is about to be displaced: a folder is displaced as a whole, with all it holds. */
export interface Displaced extends NameAt {
  readonly stat: Stat
  readonly by: Displacement
  /** What takes its name, where one rename is all. */
  readonly from?: NameAt | undefined
}

/** Is called around every displacement: `step` does it, and what is thrown instead keeps the thing where it is. */
export type Displacing = <T>(target: Displaced, step: () => T) => T

type Displacer = Pick<Disk, 'kernel' | 'displacing'>

/** The only way by which something of a user loses its name or its content. A trash, or older versions, hang in here. */
export const displace = <T>({ displacing }: Displacer, target: Displaced, step: () => T): T =>
  displacing === undefined ? step() : displacing(target, step)

/** Renames onto a name that another file or link may have, which is replaced in the same step. */
export function renameOver(disk: Displacer, from: NameAt, to: NameAt, known?: Stat): void {
  const step = () => moveName(disk.kernel, from, to)
  // The look is for the hook alone.
  const there = disk.displacing === undefined ? undefined : (known ?? disk.kernel.look(to.folder, to.name))
  if (there === undefined) step()
  else displace(disk, { folder: to.folder, name: to.name, stat: there, by: 'replaced', from }, step)
}

/** For a name that is free, or claimed by this very work, or another spelling of the same entry. */
export const moveName = (kernel: Kernel, from: NameAt, to: NameAt): void =>
  kernel.rename(from.folder, from.name, to.folder, to.name)

/** For a draft, a part of what was displaced or moved as a whole, or one of several names of a file that stays. */
export const dropName = (kernel: Kernel, { folder, name }: NameAt): void => kernel.unlink(folder, name)

/** The same for a folder, which the system removes only when it is empty. */
export const dropFolder = (kernel: Kernel, { folder, name }: NameAt): void => kernel.removeFolder(folder, name)
