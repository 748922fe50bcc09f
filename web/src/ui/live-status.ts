import { watched } from '../state/watched.ts'

const status = watched('')

/** Announces something politely: "Loading", "27 items", "3 selected". */
export function announce(next: string): void {
  if (next !== status.get()) status.set(next)
}

export const useLiveStatus = status.use
