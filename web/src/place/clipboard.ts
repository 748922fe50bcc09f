import type { Entry } from '../api/resources.ts'
import { watchedInSession } from '../state/session-scope.ts'

/** What Ctrl+C or Ctrl+X took, until it is pasted somewhere. Lives as long as the session, at most. */
export interface Clipboard {
  kind: 'copy' | 'cut'
  folder: string
  entries: readonly Entry[]
}

export const clipboard = watchedInSession<Clipboard | null>(null)
