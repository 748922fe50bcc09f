import { Failure } from '../failure.ts'

/** The request that holds the lock of an upload. */
export interface LockHolder {
  /** Passes the bytes on until another request takes the lock over. */
  receive(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
}

/** The locks of one process. Other processes over the same database are kept out by the lock of the open draft. */
export interface UploadLocks {
  isLocked(key: string): boolean
  /**
   * Lock of an upload. Fails with `locked` while another request holds it, unless that one has received nothing for
   * `takeOverAfter` milliseconds: it is stopped, and the work begins when it has ended.
   */
  withUpload<T>(key: string, work: (holder: LockHolder) => Promise<T>, takeOverAfter?: number): Promise<T>
  /**
   * Stops the request that holds the lock of an upload, if it has received nothing for so many milliseconds. True when it
   * has ended.
   */
  release(key: string, silentFor: number): Promise<boolean>
  /** Lock of a draft: creating it, removing it and turning it into a file wait for each other. Held no longer than that. */
  withDraft<T>(id: string, work: () => Promise<T>): Promise<T>
}

/** A connection that breaks is noticed at once; one that just falls silent, as on a train, only by its silence. */
export const usualSilence = 15_000

export function uploadLocks(now: () => number = () => performance.now()): UploadLocks {
  const held = new Map<string, HeldLock>()
  const draftLocks = new Map<string, Promise<unknown>>()
  return {
    isLocked: (key) => held.has(key),
    async withUpload(key, work, takeOverAfter = usualSilence) {
      for (let other = held.get(key); other !== undefined; other = held.get(key)) {
        if (now() - other.receivedAt < takeOverAfter) throw new Failure('locked', 'The upload is being written to')
        other.stop()
        await other.released
      }
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const lock = heldLock(released, now())
      held.set(key, lock)
      try {
        return await work({ receive: (bytes) => receive(lock, bytes, now) })
      } finally {
        held.delete(key)
        release()
      }
    },
    async release(key, silentFor) {
      const other = held.get(key)
      if (other === undefined || now() - other.receivedAt < silentFor) return false
      other.stop()
      await other.released
      return true
    },
    async withDraft(id, work) {
      const before = draftLocks.get(id)
      const mine = before === undefined ? work() : before.then(work, work)
      draftLocks.set(id, mine)
      try {
        return await mine
      } finally {
        if (draftLocks.get(id) === mine) draftLocks.delete(id)
      }
    },
  }
}

interface HeldLock {
  receivedAt: number
  isStopped: boolean
  stop(): void
  readonly released: Promise<void>
}

const heldLock = (released: Promise<void>, receivedAt: number): HeldLock => ({
  receivedAt,
  released,
  isStopped: false,
  stop() {
    this.isStopped = true
  },
})

async function* receive(
  lock: HeldLock,
  bytes: AsyncIterable<Uint8Array>,
  now: () => number,
): AsyncGenerator<Uint8Array, void, void> {
  const source = bytes[Symbol.asyncIterator]()
  try {
    for (;;) {
      const piece = await nextUnlessStopped(lock, source)
      lock.receivedAt = now()
      if (piece.done) return
      yield piece.value
    }
  } finally {
    // Not awaited: a source that has fallen silent may never answer.
    void source.return?.().catch(() => {})
  }
}

function nextUnlessStopped(lock: HeldLock, source: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Uint8Array>>()
  lock.stop = () => {
    lock.isStopped = true
    reject(new Failure('incomplete', 'another request took over'))
  }
  if (lock.isStopped) lock.stop()
  else source.next().then(resolve, reject)
  return promise
}
