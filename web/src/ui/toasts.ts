import { useSyncExternalStore } from 'react'

export interface Toast {
  id: number
  kind: 'success' | 'error'
  text: string
  /** What can still be done about it, such as taking a move back. */
  action?: { label: string; run: () => void }
}

/** More than this and the oldest success goes. */
const most = 10

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Says that something worked. Goes away by itself. */
export const toastSuccess = (text: string, action?: Toast['action']): void => add({ kind: 'success', text, action })

/** Says that something did not work. Stays until it is closed. */
export const toastError = (text: string): void => {
  // The same refusal ten times over is one thing to read, not ten.
  if (!toasts.some((toast) => toast.kind === 'error' && toast.text === text)) add({ kind: 'error', text })
}

export function closeToast(id: number): void {
  publish(toasts.filter((toast) => toast.id !== id))
}

export const useToasts = (): readonly Toast[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
  )

function add(toast: Omit<Toast, 'id'>): void {
  lastId += 1
  publish([...toasts, { ...toast, id: lastId }].slice(-most))
}

function publish(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}
