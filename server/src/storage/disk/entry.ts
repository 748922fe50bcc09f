import { Entry, type EntryFacts, type EntryKind } from '../entry.ts'
import type { Stat } from '../linux/kernel.ts'

/** An entry as plain data, which is how it passes from one thread to another. */
export interface DiskFacts extends EntryFacts {
  readonly inode: number
  readonly device: number
}

/** An entry on a disk. Its id and its version are put together when they are asked for. */
export class DiskEntry extends Entry implements DiskFacts {
  readonly name: string
  readonly exact: string | undefined
  readonly kind: EntryKind
  readonly isLink: boolean
  readonly size: number
  readonly mode: number
  readonly seconds: number
  readonly nanoseconds: number
  readonly modeKind: EntryKind | undefined
  readonly inode: number
  readonly device: number

  constructor(facts: DiskFacts) {
    super()
    this.name = facts.name
    this.exact = facts.exact
    this.kind = facts.kind
    this.isLink = facts.isLink
    this.size = facts.size
    this.mode = facts.mode
    this.seconds = facts.seconds
    this.nanoseconds = facts.nanoseconds
    this.modeKind = facts.modeKind
    this.inode = facts.inode
    this.device = facts.device
  }

  get id(): string {
    return idOf(this)
  }

  /** Time and size, and the inode for two saves within one tick of the clock. */
  get version(): string {
    const time = BigInt(this.seconds) * 1_000_000_000n + BigInt(this.nanoseconds)
    return `"${time.toString(16)}${this.size.toString(16)}-${this.inode.toString(16)}"`
  }

  override isSameAs(other: Entry): boolean {
    // Without the text of an id, because archives ask that of every file.
    return other instanceof DiskEntry
      ? this.inode === other.inode && this.device === other.device
      : super.isSameAs(other)
  }

  with(changes: Partial<EntryFacts>): DiskEntry {
    return new DiskEntry({ ...this, ...changes })
  }
}

/** By the highest four bits of the mode. */
const kinds = new Map<number, EntryKind>([
  [0o01, 'pipe'],
  [0o04, 'folder'],
  [0o10, 'file'],
  [0o12, 'link'],
  [0o14, 'socket'],
])

export const kindOf = (mode: number): EntryKind => kinds.get(mode >> 12) ?? 'device'

export const entryOf = (name: string, stat: Stat, exact?: string): DiskEntry =>
  new DiskEntry({
    name,
    exact,
    kind: kindOf(stat.mode),
    isLink: stat.mode >> 12 === 0o12,
    size: stat.size,
    mode: stat.mode & 0o7777,
    seconds: stat.seconds,
    nanoseconds: stat.nanoseconds,
    inode: stat.inode,
    device: stat.device,
  })

export const idOf = ({ device, inode }: Pick<DiskFacts, 'device' | 'inode'>): string => `${device} ${inode}`
