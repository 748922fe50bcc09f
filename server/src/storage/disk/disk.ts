import type { KeepStores, TellEffects } from '../keeping.ts'
import type { Kernel } from '../linux/kernel.ts'
import type { Displacing } from './displace.ts'
import type { DraftLedger } from './drafts.ts'
import type { Keeping } from './keeping.ts'
import type { MoveLedger } from './moving-sources.ts'
import type { OwnFiles } from './own-files.ts'
import type { ServedFolder } from './served-folders.ts'
import type { VolumeState, Volumes } from './volume.ts'

/** What the disk adapter needs of its surroundings. */
export interface Disk {
  kernel: Kernel
  /** Where `kernel` refuses to make what has a reserved name: makes the folders of stores. */
  storeKernel?: Kernel | undefined
  ledger: DraftLedger
  moves: MoveLedger
  ownFiles: OwnFiles
  /** Modes of new files and folders; the process's umask still applies. */
  modes: () => { file: number; folder: number }
  /** Where a draft is kept when the folder of its target cannot be written. */
  spool: string
  /** Links may lead anywhere. The kernel must have been told, too. */
  follows: boolean
  /** The folders that are served, where rights differ from place to place; undefined where no link has to be asked about. */
  servedFolders?: (() => readonly ServedFolder[] | undefined) | undefined
  /** Hears, by full names, of each link that is followed, before the place is looked at that it leads to. */
  foundLink?: ((link: string, target: string) => void) | undefined
  /** Hears of drafts that turn up when a folder is read. */
  orphans?: { sawAmong(folder: number, items: readonly { name: string }[]): void } | undefined
  /** Those below the root, where something may be mounted. */
  volumes?: Volumes | undefined
  /** What is known of the root's volume; `volumesChanged` is told of news. */
  volumeState?: VolumeState | undefined
  volumesChanged?: (() => void) | undefined
  /** Around everything that is replaced, overwritten or removed; see displace.ts. */
  displacing?: Displacing | undefined
  /** Which stores take something in; none, where it is not given. */
  stores?: (() => KeepStores) | undefined
  /** Hears what calls with `keep` do. Without it nothing is kept. */
  tell?: TellEffects | undefined
  /** Of one call with `keep`: see keeping.ts. */
  keeping?: Keeping | undefined
  /** One of several roots: where it is missing its disk is away, and not a file. */
  isFurtherMount?: boolean | undefined
  /** As in `Capabilities`. */
  foldsCase: () => boolean
}
