import { deadline } from '../concurrency/deadline.ts'
import type { Log } from '../log/log.ts'

export interface Cleanup {
  /** Runs all steps now, and from then on every minute. Never fails: a step that failed is tried again. */
  start(): Promise<void>
  stop(): void
}

/** Removes what dead nodes left and what has expired, one step after another, in the background. */
export function cleanupOf(
  steps: Readonly<Record<string, () => Promise<void>>>,
  log: Pick<Log, 'warn'>,
  { seconds = 60, patience = 30_000 } = {},
): Cleanup {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isStopped = false
  const failing = new Set<string>()
  const under = new Set<string>()

  /** One that waits for a disk that is away keeps no other from its turn, and is not begun again before it is over. */
  async function runStep(what: string, step: () => Promise<void>): Promise<void> {
    if (under.has(what)) return
    under.add(what)
    const stepping = step().finally(() => under.delete(what))
    await deadline(stepping, patience, undefined)
  }

  async function runSteps(): Promise<void> {
    for (const [what, step] of Object.entries(steps)) {
      if (isStopped) return
      try {
        await runStep(what, step)
        failing.delete(what)
      } catch (error) {
        // Logged once: on a full disk it goes on like this for days.
        if (!failing.has(what) && !isStopped) log.warn({ what, reason: String(error) }, 'Tidying up failed')
        failing.add(what)
      }
    }
  }

  const run = (): Promise<void> => {
    running ??= runSteps().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    async start() {
      clearInterval(timer)
      timer = setInterval(() => void run(), seconds * 1000)
      timer.unref()
      // A run under way may have passed by what is there now.
      await running
      await run()
    },
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}
