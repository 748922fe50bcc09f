import { type KeptFound, topsAmong } from '../keeping.ts'
import type { VirtualPath } from '../path.ts'
import type { RestoreOptions, Storage } from '../port.ts'
import type { Base, SentRestore, Task, VerbCalls, VerbName } from './messages.ts'
import type { Pool } from './pool.ts'
import { watched } from './transfers.ts'

const whole: Base = { scope: '/', below: [] }

const sentRestore = ({ replace, taken, keep, over, progress }: RestoreOptions): SentRestore => ({
  replace,
  taken,
  keep,
  over,
  isWatched: progress !== undefined,
})

type Stores = Pick<Storage, 'kept' | 'restore' | 'purge'>

/** What is kept, by threads. Its places count from the root, wherever the paths of the storage begin. */
export function threadedStores(
  pool: Pick<Pool, 'readers' | 'changerFor' | 'pointsBelow'>,
  root: string,
  base: Base,
): Stores {
  const inRoot = <V extends VerbName>(verb: V, ...args: Parameters<VerbCalls[V]>): Task<V> => ({
    verb,
    base: whole,
    args,
  })
  const nameOf = (place: VirtualPath) => `${root}${place}`

  /** One that is asked again by another thread begins anew. */
  async function keptIn(top: VirtualPath, signal: Parameters<Stores['kept']>[1]): Promise<readonly KeptFound[][]> {
    const parts: KeptFound[][] = []
    const part = (found: KeptFound[]) => void parts.push(found)
    const restart = () => void parts.splice(0)
    await pool.readers.run(nameOf(top), inRoot('keptIn', top), { signal, part, restart })
    return parts
  }

  return {
    async kept(take, signal) {
      // Each file system by itself: one that does not answer keeps no other from being read.
      const tops = topsAmong(pool.pointsBelow(root || '/'), root || '/')
      const reading = await Promise.allSettled(tops.map((top) => keptIn(top, signal)))
      for (const one of reading) if (one.status === 'fulfilled') for (const found of one.value) take(found)
      for (const one of reading) if (one.status === 'rejected') throw one.reason
    },
    restore: (place, to, options) =>
      pool
        .changerFor(nameOf(place))
        .run(nameOf(place), { verb: 'restore', base, args: [place, to, sentRestore(options)] }, watched(options)),
    purge: (place, { signal, progress } = {}) =>
      pool
        .changerFor(nameOf(place))
        .run(nameOf(place), inRoot('purge', place, progress !== undefined), watched({ signal, progress })),
  }
}
