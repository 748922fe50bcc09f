import type { Entry } from '../api/resources.ts'
import { watched } from '../state/watched.ts'

/** What Ctrl+C or Ctrl+X took, until it is pasted somewhere. Lives as long as the page. */
export interface Clipboard {
  kind: 'copy' | 'cut'
  folder: string
  entries: readonly Entry[]
}

export const clipboard = watched<Clipboard | null>(null)
