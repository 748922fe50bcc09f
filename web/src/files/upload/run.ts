import { beginRunning } from '../../commands/running.ts'
import { t } from '../../i18n/i18n.ts'
import { beginWork } from '../../state/work.ts'
import { workspace } from '../../workspace/workspace.ts'
import { namesIn, showIn } from './arrivals.ts'
import type { Job, Totals } from './queue.ts'

/** From the first upload until nothing is on its way any more. */
export interface Run {
  /** What has arrived in it. */
  readonly arrived: Job[]
  stop(): void
}

interface RunOptions {
  readonly session: AbortSignal
  totals(): Totals
  /** Every second. */
  tick(): void
}

/** While something is on its way the page warns before it is left, and the folder in view shows what has come so far. */
export function beginRun({ session, totals, tick }: RunOptions): Run {
  const arrived: Job[] = []
  let shown = 0
  let isShowing = false
  const showing = new AbortController()
  /** On a slow line the next part waits for the last. */
  const showArrivals = async () => {
    if (isShowing || arrived.length === shown) return
    isShowing = true
    const { folder } = workspace()
    const names = namesIn(folder, arrived.slice(shown))
    shown = arrived.length
    await showIn(folder, names, AbortSignal.any([showing.signal, session]))
    isShowing = false
  }
  const timer = setInterval(() => {
    tick()
    void showArrivals()
  }, 1000)
  const endWork = beginWork(() => t('upload.uploading', { count: countUnderWay(totals()) }))
  const endRunning = beginRunning('upload')
  return {
    arrived,
    stop() {
      clearInterval(timer)
      // At the end all are asked for together: a part that comes late would be older.
      showing.abort()
      endWork()
      const { done, failed } = totals().counts
      endRunning(done > 0 && failed === 0)
    },
  }
}

export const countUnderWay = ({ counts }: Totals): number => counts.queued + counts.uploading
