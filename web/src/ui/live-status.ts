import { useSyncExternalStore } from 'react'

let text = ''
const listeners = new Set<() => void>()

/** Announces something politely: "Loading", "27 items", "3 selected". */
export function announce(next: string): void {
  if (next === text) return
  text = next
  for (const listener of listeners) listener()
}

export const useLiveStatus = (): string =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => text,
  )
