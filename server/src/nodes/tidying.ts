import type { Log } from '../log/log.ts'

export interface Tidying {
  /** Tidies up now, and from then on every now and then. Never fails: what could not be done is tried again. */
  start(): Promise<void>
  stop(): void
}

/** Removes what the dead left and what has had its time, one thing after another, beside everything else. */
export function tidyingOf(
  steps: Readonly<Record<string, () => Promise<void>>>,
  log: Pick<Log, 'warn'>,
  seconds = 60,
): Tidying {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isStopped = false
  const failing = new Set<string>()

  async function tidy(): Promise<void> {
    for (const [what, step] of Object.entries(steps)) {
      if (isStopped) return
      try {
        await step()
        failing.delete(what)
      } catch (error) {
        // Told once: on a full disk it goes on like this for days.
        if (!failing.has(what) && !isStopped) log.warn({ what, reason: String(error) }, 'Tidying up failed')
        failing.add(what)
      }
    }
  }

  const once = (): Promise<void> => {
    running ??= tidy().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    async start() {
      clearInterval(timer)
      timer = setInterval(() => void once(), seconds * 1000)
      timer.unref()
      // What is under way may have passed by what is there now.
      await running
      await once()
    },
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}
