import { may } from '../access/actor.ts'
import type { Scope } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import type { Run } from './kind.ts'

/** In milliseconds: so old may be what is known of the owner's rights. */
const longest = 1000

/** For requests, a download that is withheld has an answer of its own, which clients of jobs would take for a job. */
export function requireReading({ actor }: Scope): void {
  if (!may(actor, 'download')) throw new Failure('forbidden', 'Downloading is not allowed')
}

/**
 * Runs work that reads files for long, with the rights that the owner has at that time. What is refused while a tree is
 * read counts as one entry that cannot be read; what concerns all of it, such as an account that is gone, ends the work
 * by the signal.
 */
export async function withLiveScope(
  run: Run<unknown>,
  work: (scope: Scope, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const ended = new AbortController()
  const signal = AbortSignal.any([run.signal, ended.signal])
  let latest = await run.scope()
  let since = performance.now()
  requireReading(latest)

  async function now(): Promise<Scope> {
    signal.throwIfAborted()
    if (performance.now() - since <= longest) return latest
    try {
      const scope = await run.scope()
      requireReading(scope)
      latest = scope
      since = performance.now()
      return scope
    } catch (error) {
      ended.abort(error)
      throw error
    }
  }

  await work(
    {
      ...latest,
      stat: async (...asked) => (await now()).stat(...asked),
      list: async (...asked) => (await now()).list(...asked),
      peek: async (...asked) => (await now()).peek(...asked),
      readFiles: async (...asked) => (await now()).readFiles(...asked),
      readInPlaces: async (...asked) => (await now()).readInPlaces(...asked),
      open: async (...asked) => (await now()).open(...asked),
      rightsIn: (...asked) => latest.rightsIn(...asked),
    },
    signal,
  )
}
