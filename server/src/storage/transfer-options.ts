import type { ConflictChoice } from '@filestead/contract'
import type { Cancellation } from '../concurrency/cancellation.ts'
import type { Keep } from './keeping.ts'

export type TransferKind = 'copy' | 'move'

export interface TransferOptions {
  replace: boolean
  signal?: Cancellation | undefined
  /**
   * The id under which it was staged: the draft is brought up to date and published, and for a move the source goes, each
   * file only where the copy is of its present version. A second call under the same id, after a crash or an answer that was
   * lost, finishes what is left to do, and does nothing where that is nothing: until `unstage` it is remembered.
   */
  staged?: string | undefined
  /** With `replace`, about files in a folder that is merged with another one. Without it all are replaced. */
  taken?: TakenRule | undefined
  progress?: Progress | undefined
  /** What is replaced is kept. */
  keep?: Keep | undefined
}

/**
 * What happens to a file below a folder that is merged where another one has its name. One with the same size, time
 * and contents is left alone, and a move takes it from its source. What is skipped stays in the source of a
 * move. A folder and a file of the same name are skipped or both kept; all other choices refuse them.
 */
export interface TakenRule {
  /** `refuse`: where one has no choice of its own, the transfer fails as `already-exists` before anything is published. */
  readonly default: ConflictChoice | 'refuse'
  /** By the path below the folder that is copied or moved: 'sub/a.txt'. */
  readonly by?: Readonly<Record<string, ConflictChoice>> | undefined
}

export interface StageOptions {
  /** Without slashes, and in no other use: what is staged lies on the disk under it. */
  id: string
  /** As of the copy or move that follows. */
  replace: boolean
  taken?: TakenRule | undefined
  signal?: Cancellation | undefined
  progress?: Progress | undefined
}

export interface PublishOptions extends Pick<TransferOptions, 'replace' | 'taken' | 'signal' | 'keep'> {
  /** The draft lies in the folder that gets its contents, which may be a root, and not beside it. */
  inside?: boolean | undefined
}

export interface UnstageOptions {
  /** As of `publish`; then nothing can be published by it. */
  inside?: boolean | undefined
  /** What is whole of a copy gets its name first, unless that is taken; of a folder that is merged, what has a free name. */
  publish?: boolean | undefined
}

/** Told a few times a second, and with the last file: what is done since the beginning, also in earlier tries of the same id. */
export type Progress = (done: Done) => void

export interface Done {
  /** Whatever is no folder. */
  readonly files: number
  readonly bytes: number
  /** The file at work, as a path below the folder that is copied, moved or removed; empty where it is no folder. */
  readonly current: string
  /** Told where there is any. */
  readonly leftOut?: LeftOut | undefined
}

/** Symlinks and special files that the target of a copy cannot have, of one pass through its folder. */
export interface LeftOut {
  readonly count: number
  /** Paths below that folder, the first hundred. */
  readonly first: readonly string[]
}
