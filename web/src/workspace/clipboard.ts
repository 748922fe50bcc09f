import type { Entry } from '../server/queries/resources.ts'
import { sessionStore } from '../state/session-scope.ts'

/** What Ctrl+C or Ctrl+X took, until it is pasted somewhere. Other tabs and a reload know it, see kept-clipboard.ts. */
export interface Clipboard {
  kind: 'copy' | 'cut'
  folder: string
  entries: readonly Entry[]
}

export const clipboard = sessionStore<Clipboard | null>(null)
