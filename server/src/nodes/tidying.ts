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
  { seconds = 60, patience = 30_000 } = {},
): Tidying {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isStopped = false
  const failing = new Set<string>()
  const under = new Set<string>()

  /** One that waits for a disk that is away keeps no other from its turn, and is not begun again before it is over. */
  async function run(what: string, step: () => Promise<void>): Promise<void> {
    if (under.has(what)) return
    under.add(what)
    const stepping = step().finally(() => under.delete(what))
    const { promise: tooLong, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, patience)
    try {
      await Promise.race([stepping, tooLong])
    } finally {
      clearTimeout(timer)
    }
  }

  async function tidy(): Promise<void> {
    for (const [what, step] of Object.entries(steps)) {
      if (isStopped) return
      try {
        await run(what, step)
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
