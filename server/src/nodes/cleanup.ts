import { deadline } from '../concurrency/deadline.ts'
import type { Log } from '../log/log.ts'

export interface Cleanup {
  /** Runs all steps now, and from then on every minute. Never fails: a step that failed is tried again. */
  start(): Promise<void>
  stop(): void
}

export interface CleanupOptions {
  readonly seconds?: number
  /** In milliseconds. */
  readonly patience?: number
  /** Called at the end of a round in which these steps failed, or were not over in time. */
  readonly unfinished?: (steps: readonly string[]) => Promise<void>
}

/** Removes what dead nodes left and what has expired, one step after another, in the background. */
export function cleanupOf(
  steps: Readonly<Record<string, () => Promise<void>>>,
  log: Pick<Log, 'warn'>,
  { seconds = 60, patience = 30_000, unfinished = async () => {} }: CleanupOptions = {},
): Cleanup {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isStopped = false
  const failing = new Set<string>()
  const under = new Set<string>()

  /**
   * Whether it is over. One that waits for a disk that is away keeps no other from its turn, and is not begun again before it
   * is over.
   */
  async function isOver(what: string, step: () => Promise<void>): Promise<boolean> {
    if (under.has(what)) return false
    under.add(what)
    const stepping = step().finally(() => under.delete(what))
    return deadline(
      stepping.then(() => true),
      patience,
      false,
    )
  }

  async function isDone(what: string, step: () => Promise<void>): Promise<boolean> {
    try {
      if (!(await isOver(what, step))) return false
      failing.delete(what)
      return true
    } catch (error) {
      // Logged once: on a full disk it goes on like this for days.
      if (!failing.has(what) && !isStopped) log.warn({ what, reason: String(error) }, 'Tidying up failed')
      failing.add(what)
      return false
    }
  }

  async function runSteps(): Promise<void> {
    const left: string[] = []
    for (const [what, step] of Object.entries(steps)) {
      if (isStopped) return
      if (!(await isDone(what, step))) left.push(what)
    }
    if (left.length > 0) await unfinished(left).catch(() => {})
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
