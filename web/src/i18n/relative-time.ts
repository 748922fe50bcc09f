import { useSyncExternalStore } from 'react'
import { formatRelative } from './format.ts'

/** One timer for all relative times on the page; it runs while one of them is shown. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | null = null

/** In milliseconds: seconds are told, too. Only what has another text is rendered again. */
const every = 5000

/** "2 minutes ago", up to date for as long as it is shown. */
export function useRelativeTime(time: Date): string {
  return useSyncExternalStore(subscribe, () => formatRelative(time))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, every)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }
}

function tick(): void {
  for (const listener of listeners) listener()
}
