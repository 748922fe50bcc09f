import { isOver } from '@filestead/contract'
import { isGuest } from '../session.ts'
import { jobs, onJob, readJobs } from './jobs.ts'

/** In milliseconds: while some jobs are not over, and else, where the page is looked at. */
const usualTimes = { busy: 3000, idle: 30_000 }

/** Reads the jobs at intervals while there is no connection that tells of them. Guests have none that could be listed. */
export function pollJobs(signal: AbortSignal, onRead: () => void, times: Partial<typeof usualTimes> = {}) {
  const { busy, idle } = { ...usualTimes, ...times }
  let isConnected = false
  let timer: ReturnType<typeof setTimeout> | undefined

  async function read(): Promise<void> {
    if (isGuest()) return
    await readJobs(signal).then(onRead, () => {})
  }

  function readLater(): void {
    clearTimeout(timer)
    if (signal.aborted || isConnected) return
    const isBusy = jobs.get()?.some(({ state }) => !isOver(state)) === true
    timer = setTimeout(
      async () => {
        if (isBusy || document.visibilityState === 'visible') await read()
        readLater()
      },
      isBusy || jobs.get() === null ? busy : idle,
    )
  }

  readLater()
  // One that was begun in another tab is followed at once.
  const stop = onJob((_, before) => before === undefined && readLater())
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    stop()
  })
  return {
    readNow: () => void read(),
    setConnected(isConnectedNow: boolean): void {
      isConnected = isConnectedNow
      readLater()
    },
  }
}
