import type { Location } from '../mounts/location.ts'
import type { Upload } from './store.ts'

/** What the other devices of an account learn about an upload. */
export interface UploadTold {
  /** Does any of them listen? */
  readonly isHeard: boolean
  upload(
    owner: number,
    upload: { location: Location; offset: number; length: number; state: 'running' | 'done' | 'ended' },
  ): void
}

type Known = Pick<Upload, 'id' | 'userId' | 'location' | 'length'>

export interface UploadTelling {
  /** So many bytes have arrived: told once a second at most. */
  progress(upload: Known, offset: number): void
  done(upload: Known): void
  /** Given up, or too old. */
  ended(upload: Known): void
}

/** In milliseconds. */
const toldEvery = 1000
const mostKnown = 1000

/** Small uploads that come whole are not told: their files show by themselves. */
export function uploadTelling(told: UploadTold | undefined): UploadTelling {
  /** When each was told last. */
  const toldAt = new Map<string, number>()

  function end({ id, userId, location, length }: Known, state: 'done' | 'ended'): void {
    toldAt.delete(id)
    if (told?.isHeard) told.upload(userId, { location, offset: state === 'done' ? length : 0, length, state })
  }

  return {
    progress({ id, userId, location, length }, offset) {
      if (!told?.isHeard) return
      const now = performance.now()
      if (now - (toldAt.get(id) ?? Number.NEGATIVE_INFINITY) < toldEvery) return
      if (toldAt.size >= mostKnown) toldAt.clear()
      toldAt.set(id, now)
      told.upload(userId, { location, offset, length, state: 'running' })
    },
    done: (upload) => end(upload, 'done'),
    ended: (upload) => end(upload, 'ended'),
  }
}
