import { isReachable, untilReachable } from '../server/connection.ts'
import { jobs } from '../server/live/jobs.ts'
import { perSession, sessionStore } from '../state/session-scope.ts'

/** The server cannot be reached: what is shown of jobs may be old. They go on without this page. */
export const isWaiting = sessionStore(false)

/** A job under way tells about itself several times a second. After so long without news the server is asked, in milliseconds. */
const silence = 4000

const watching = perSession((scope) => {
  let lastNews = performance.now()
  const stop = jobs.subscribe(() => {
    lastNews = performance.now()
  })
  const timer = setInterval(async () => {
    const isBusy = jobs.get()?.some(({ state }) => state === 'running') === true
    if (!isBusy || document.hidden || performance.now() - lastNews < silence || isWaiting.get()) return
    if (await isReachable()) return
    if (scope.signal.aborted) return
    isWaiting.set(true)
    await untilReachable()
    if (!scope.signal.aborted) isWaiting.set(false)
  }, silence)
  scope.onEnd(() => {
    stop()
    clearInterval(timer)
  })
})

export const watchOutage = (): void => watching()
