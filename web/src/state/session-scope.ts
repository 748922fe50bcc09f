import { type Watched, watched } from './watched.ts'

/**
 * What belongs to one session in this page, and ends with it. Stores and work register here, so that nothing of one
 * person is left for the next, and the session itself need not know them.
 */

/** Signed out: the person has left. Cut off: time, another tab or another person ended it, and they may come back. */
export type Ending = 'signed-out' | 'cut-off'

let scope = new AbortController()
let number = 0
const resets = new Set<(ending: Ending) => void>()

/** Aborted when the present session ends. Work takes it when it begins, and does not ask for it again. */
export const sessionSignal = (): AbortSignal => scope.signal

/** Another number for each session, for the keys of components. */
export const scopeNumber = (): number => number

/** Runs before any component hears that the session has ended. */
export function onSessionEnd(reset: (ending: Ending) => void): void {
  resets.add(reset)
}

/** A watched value that the end of the session sets back. */
export function watchedInSession<Value>(first: Value): Watched<Value> {
  const value = watched(first)
  onSessionEnd(() => value.get() !== first && value.set(first))
  return value
}

/** Something that each session has one of, made when it is first asked for. */
export function perSession<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null
  onSessionEnd(() => {
    made = null
  })
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

export function endScope(ending: Ending): void {
  const ended = scope
  scope = new AbortController()
  number += 1
  ended.abort()
  for (const reset of resets) {
    try {
      reset(ending)
    } catch (error) {
      // One store that cannot be reset must not keep the others from being reset.
      reportError(error)
    }
  }
}
