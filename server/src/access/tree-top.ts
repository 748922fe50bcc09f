import { type Location, mountOf } from '../mounts/location.ts'
import { PlainEntry } from '../storage/entry.ts'
import { rootPath } from '../storage/path.ts'
import type { Entry, Storage } from '../storage/port.ts'
import type { StageOptions, TransferKind, TransferOptions } from '../storage/transfer-options.ts'
import type { Part, Tree } from './tree.ts'

/** What a tree needs of the mounts. */
export interface TreeMounts {
  /** Fails where the mount is not there. */
  storageAt(base: string): Storage
  /** As far as is known, without a look. */
  isAway(mount: number): boolean
  /** Between two mounts. */
  transfer(kind: TransferKind, from: Location, to: Location, options: TransferOptions): Promise<void>
  stage(kind: TransferKind, from: Location, to: Location, options: StageOptions): Promise<void>
}

/** In milliseconds: so long the top of a tree waits for the facts of a part. */
const longestLook = 500

/** The top of a named tree: its parts as folders. */
export class TreeTop {
  readonly #tree: Tree
  readonly #mounts: TreeMounts

  constructor(tree: Tree, mounts: TreeMounts) {
    this.#tree = tree
    this.#mounts = mounts
  }

  /** Walks leave out what is away; it must not end them. */
  partsThere(): readonly Part[] {
    return this.#tree.parts.filter(({ base }) => !this.#mounts.isAway(mountOf(base)))
  }

  async entries({ isOnce = false }: { isOnce?: boolean | undefined } = {}): Promise<Entry[]> {
    const parts = isOnce ? this.partsThere() : this.#tree.parts
    return Promise.all(parts.map((part) => this.#entryOf(part)))
  }

  /** One that is away, or does not answer soon, is listed with zeros: it keeps the others from nothing. */
  async #entryOf(part: Part): Promise<Entry> {
    if (this.#mounts.isAway(mountOf(part.base))) return awayEntry(part)
    const look = async () => (await this.#mounts.storageAt(part.base).stat(rootPath)).with({ name: part.name })
    let timer: ReturnType<typeof setTimeout> | undefined
    const tooLate = new Promise<Entry>((resolve) => {
      timer = setTimeout(() => resolve(awayEntry(part)), longestLook)
    })
    try {
      return await Promise.race([look().catch(() => awayEntry(part)), tooLate])
    } finally {
      clearTimeout(timer)
    }
  }
}

const folderFacts = { kind: 'folder', isLink: false, size: 0, mode: 0o755, nanoseconds: 0 } as const

const awayEntry = ({ name, base }: Part): Entry =>
  new PlainEntry({ ...folderFacts, name, seconds: 0 }, { id: `away ${base}`, version: '"away"' })

/** The top is as new as the newest part. */
export const topOf = (entries: readonly Entry[]): Entry =>
  new PlainEntry(
    { ...folderFacts, name: '', seconds: Math.max(0, ...entries.map(({ seconds }) => seconds)) },
    { id: 'top', version: '"top"' },
  )
