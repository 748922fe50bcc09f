import { isReachable } from './connection.ts'

/** In milliseconds: how often a request is looked at, how long it may be silent, and how long at most. */
const limits = { every: 5000, quiet: 20_000, longest: 120_000 }

/**
 * On a half-dead connection a request neither fails nor gets on. It counts as lost after 20 seconds without progress in
 * which the server does not answer elsewhere either, or after two minutes in any case. Once everything was sent, the
 * server may take its time: programs of the administrator may look at a file before it is taken.
 */
export function stallWatch({ every, quiet, longest } = limits) {
  let last = Date.now()
  let isSent = false
  const { promise: stalled, resolve } = Promise.withResolvers<void>()
  const timer = setInterval(async () => {
    const begun = last
    const silence = Date.now() - begun
    if (silence < quiet) return
    const isLost = (silence >= longest && !isSent) || !(await isReachable())
    if (isLost && last === begun) resolve()
  }, every)
  return {
    stalled,
    stop: () => clearInterval(timer),
    noteProgress() {
      last = Date.now()
    },
    noteSent() {
      isSent = true
      last = Date.now()
    },
  }
}
