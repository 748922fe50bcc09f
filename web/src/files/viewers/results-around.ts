import { nameOf } from '@filestead/contract'
import { useEffect, useMemo } from 'react'
import type { Entry } from '../../server/queries/resources.ts'
import { sessionStore } from '../../state/session-scope.ts'
import { workspace } from '../../workspace/workspace.ts'

/** Results of a search, as they were when one of them was opened. */
export interface Results {
  readonly folder: string
  readonly query: string
  /** With their own names: several may have the same. */
  readonly entries: readonly Entry[]
}

const opened = sessionStore<Results | null>(null)

/** The results that a file was opened from, or stepped to among; null where it is seen among the files of its folder. */
export function useResultsAround(path: string): Results | null {
  const before = opened.use()
  const around = useMemo(() => resultsAround(path, before), [path, before])
  useEffect(() => opened.set(around), [around])
  return around
}

/** Asked while the listing is still in the workspace, and then for every file that is stepped to. */
export function resultsAround(path: string, before: Results | null): Results | null {
  const { view, folder, query, entries } = workspace()
  const has = (files: readonly Entry[]) => files.some((file) => file.path === path)
  if (view !== 'listing') return before !== null && has(before.entries) ? before : null
  if (query === null || !has(entries)) return null
  return { folder, query, entries: entries.map((entry) => ({ ...entry, name: nameOf(entry.path) })) }
}
