import { type Semaphore, semaphore } from '../../concurrency/semaphore.ts'

export interface NameLocks {
  /** Runs work while nothing else in this process runs under the same name. */
  run<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** One mutex for each name that is in use. */
export function nameLocks(): NameLocks {
  const locks = new Map<string, { readonly mutex: Semaphore; users: number }>()
  return {
    async run(name, work) {
      const lock = locks.get(name) ?? { mutex: semaphore(1), users: 0 }
      locks.set(name, lock)
      lock.users += 1
      try {
        return await lock.mutex.run(work)
      } finally {
        lock.users -= 1
        if (lock.users === 0) locks.delete(name)
      }
    },
  }
}
