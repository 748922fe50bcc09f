import { useSyncExternalStore } from 'react'
import type { Entry } from '../api/resources.ts'

/** What Ctrl+C or Ctrl+X took, until it is pasted somewhere. Lives as long as the page. */
export interface Clipboard {
  kind: 'copy' | 'cut'
  folder: string
  entries: readonly Entry[]
}

let held: Clipboard | null = null
const listeners = new Set<() => void>()

export const clipboard = (): Clipboard | null => held

export function hold(next: Clipboard | null): void {
  held = next
  for (const listener of listeners) listener()
}

export const useClipboard = (): Clipboard | null =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, clipboard)
