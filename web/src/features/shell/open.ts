import { useSyncExternalStore } from 'react'

let isOpen = false
const listeners = new Set<() => void>()

export const useIsShellOpen = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOpen,
  )

export const toggleShellPanel = (): void => showShell(!isOpen)

export function showShell(next: boolean): void {
  isOpen = next
  for (const listener of listeners) listener()
}
