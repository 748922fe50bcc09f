import { Failure } from '../failure.ts'

/** One request that is at work on an upload. */
export interface Writer {
  /** Hands the bytes on until another request takes over. */
  listen(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
}

export interface Writers {
  isBusy(key: string): boolean
  /** Refuses while another one is at work, unless nothing was heard of it for `patience` milliseconds: it is stopped. */
  alone<T>(key: string, work: (writer: Writer) => Promise<T>, patience?: number): Promise<T>
  /** Draft lock: what makes a draft, drops it or turns it into a file, one after the other. Held for no longer than that. */
  withDraft<T>(id: string, work: () => Promise<T>): Promise<T>
}

/** A connection that breaks is noticed at once; one that just falls silent, as on a train, only by its silence. */
const usualPatience = 15_000

export function uploadWriters(now: () => number = () => performance.now()): Writers {
  const busy = new Map<string, Busy>()
  const draftLocks = new Map<string, Promise<unknown>>()
  return {
    isBusy: (key) => busy.has(key),
    async alone(key, work, patience = usualPatience) {
      for (let other = busy.get(key); other !== undefined; other = busy.get(key)) {
        if (now() - other.heardAt < patience) throw new Failure('locked', 'The upload is being written to')
        other.stop()
        await other.ended
      }
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const mine = busyUntil(ended, now())
      busy.set(key, mine)
      try {
        return await work({ listen: (bytes) => listen(mine, bytes, now) })
      } finally {
        busy.delete(key)
        end()
      }
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

interface Busy {
  heardAt: number
  isStopped: boolean
  stop(): void
  readonly ended: Promise<void>
}

const busyUntil = (ended: Promise<void>, heardAt: number): Busy => ({
  heardAt,
  ended,
  isStopped: false,
  stop() {
    this.isStopped = true
  },
})

async function* listen(
  self: Busy,
  bytes: AsyncIterable<Uint8Array>,
  now: () => number,
): AsyncGenerator<Uint8Array, void, void> {
  const source = bytes[Symbol.asyncIterator]()
  try {
    for (;;) {
      const piece = await nextUnlessStopped(self, source)
      self.heardAt = now()
      if (piece.done) return
      yield piece.value
    }
  } finally {
    // Not awaited: a source that has fallen silent would keep us waiting as well.
    void source.return?.().catch(() => {})
  }
}

function nextUnlessStopped(self: Busy, source: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Uint8Array>>()
  self.stop = () => {
    self.isStopped = true
    reject(new Failure('incomplete', 'another request took over'))
  }
  if (self.isStopped) self.stop()
  else source.next().then(resolve, reject)
  return promise
}
