import { sessionStore } from '../state/session-scope.ts'

const status = sessionStore('')

/** Announces something politely: "Loading", "27 items", "3 selected". */
export function announce(next: string): void {
  if (next !== status.get()) status.set(next)
}

export const useLiveStatus = status.use
