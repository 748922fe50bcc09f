import { isFailure } from '../../failure.ts'
import type { Found } from '../port.ts'

/** Looks of one turn of the event loop at one kind of thing. */
export interface SharedLooks<Seen> {
  /** A request for what another one of the same turn has asked for takes its answer: nothing was looked at before. */
  share(key: string, look: () => Promise<Seen>): Promise<Seen>
}

export function sharedLooks<Seen>(isShared: (seen: Seen) => boolean = () => true): SharedLooks<Seen> {
  const looks = new Map<string, Promise<Seen | undefined>>()
  return {
    async share(key, look) {
      const ahead = looks.get(key)
      if (ahead !== undefined) return (await ahead) ?? look()
      const own = look()
      // By then the task is on its way, and may have been begun.
      if (looks.size === 0) setImmediate(() => looks.clear())
      // The answer may come within the turn: a request that follows it has to look again.
      const shared = own
        .finally(() => looks.delete(key))
        .then((seen) => (isShared(seen) ? seen : undefined), unlessSilent)
      // Thrown where it is taken; until then it must not count as unhandled.
      shared.catch(() => {})
      looks.set(key, shared)
      return own
    },
  }
}

/** A disk that has not answered is not waited for once more. Other refusals may be those of one request, which was cancelled. */
function unlessSilent(error: unknown): undefined {
  if (isFailure(error, 'unavailable')) throw error
}

/** An open file belongs to one request, and so does the memory of a large folder. */
export const isSmallFolder = ({ file, entries }: Found): boolean =>
  file === undefined && entries !== undefined && entries.length < mostShared

const mostShared = 1000
