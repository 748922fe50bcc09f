import { useSyncExternalStore } from 'react'
import { formatRelative } from './format.ts'

/** One timer for all relative times on the page; it runs while one of them is shown. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | null = null
let ticks = 0

/** "2 minutes ago", up to date for as long as it is shown. */
export function useRelativeTime(time: Date): string {
  useSyncExternalStore(subscribe, countTicks)
  return formatRelative(time)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, 60_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }
}

function tick(): void {
  ticks += 1
  for (const listener of listeners) listener()
}

const countTicks = (): number => ticks
