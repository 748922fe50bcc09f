import type { VirtualPath } from '../path.ts'
import type { Storage } from '../port.ts'
import type { Done, StageOptions, TransferKind, TransferOptions } from '../transfer-options.ts'
import type { CallOptions } from './call.ts'
import type { SentStage, SentTransfer, Task, VerbCalls, VerbName } from './messages.ts'
import type { Pool } from './pool.ts'
import type { Running } from './running.ts'

// How copies and moves travel to a thread and their progress back.

export const sentTransfer = ({ replace, staged, taken, keep, progress }: TransferOptions): SentTransfer => ({
  replace,
  staged,
  taken,
  keep,
  isWatched: progress !== undefined,
})

export const sentStage = ({ id, replace, taken, progress }: StageOptions): SentStage => ({
  id,
  replace,
  taken,
  isWatched: progress !== undefined,
})

/** The parts of a call are its progress. */
export const watched = ({ signal, progress }: Pick<TransferOptions, 'signal' | 'progress'>): CallOptions =>
  progress === undefined ? { signal } : { signal, part: (done: Done) => progress(done) }

/** The same in the thread. */
export const watching = <Options extends { readonly isWatched: boolean }>(running: Running, options: Options) => ({
  ...options,
  signal: running,
  progress: options.isWatched ? running.told : undefined,
})

type Transfers = Pick<Storage, 'rename' | 'copy' | 'stage' | 'publish' | 'unstage' | 'remove' | 'keepPlace'>

/** What may take long: by the thread of the file system that the change begins on, which knows what is under way there. */
export function threadedTransfers(
  pool: Pick<Pool, 'changerFor' | 'knowsHalfWritten'>,
  nameOf: (path: VirtualPath) => string,
  task: <V extends VerbName>(verb: V, ...args: Parameters<VerbCalls[V]>) => Task<V>,
): Transfers {
  const change = <V extends VerbName>(on: VirtualPath, changing: Task<V>, options: CallOptions = {}) =>
    pool.changerFor(nameOf(on)).run(nameOf(on), changing, options)
  /** A copy changes nothing where it comes from, but only the thread there knows of files that are half written. */
  const changedBy = (kind: TransferKind, from: VirtualPath, to: VirtualPath) =>
    kind === 'move' || pool.knowsHalfWritten() ? from : to
  return {
    rename: (from, to, options) => change(from, task('rename', from, to, sentTransfer(options)), watched(options)),
    copy: (from, to, options) =>
      change(changedBy('copy', from, to), task('copy', from, to, sentTransfer(options)), watched(options)),
    stage: (kind, from, to, options) =>
      change(changedBy(kind, from, to), task('stage', kind, from, to, sentStage(options)), watched(options)),
    publish: (to, id, { replace, taken, inside, keep }) =>
      change(to, task('publish', to, id, { replace, taken, inside, keep })),
    unstage: (to, id, { publish, inside } = {}) => change(to, task('unstage', to, id, { publish, inside })),
    remove: (path, { signal, only, keptAt, keep, progress } = {}) =>
      change(
        path,
        task('remove', path, { only, keptAt, keep, isWatched: progress !== undefined }),
        watched({ signal, progress }),
      ),
    keepPlace: async (path, keep) => (await change(path, task('keepPlace', path, keep))) ?? undefined,
  }
}
