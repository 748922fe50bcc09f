import { join, nameOf, parentOf, segmentsOf } from '@filestead/contract'
import type { UndoableChange } from '../../server/operations/change.ts'
import { showNow } from '../../server/operations/operation.ts'
import { rememberChange } from '../../server/operations/undo-stack.ts'
import { refreshFolders } from '../../server/queries/resources.ts'
import { revealWhenListed, workspace } from '../../workspace/workspace.ts'
import type { Job } from './queue.ts'

/** The names under which uploads show in a listing of the folder. */
export const namesIn = (folder: string, jobs: readonly Job[]): string[] => [
  ...new Set(jobs.flatMap(({ path }) => nameBelow(folder, path) ?? [])),
]

function nameBelow(folder: string, path: string): string | undefined {
  if (parentOf(path) === folder) return nameOf(path)
  const inside = folder === '/' ? path : path.startsWith(`${folder}/`) ? path.slice(folder.length) : null
  return inside === null ? undefined : segmentsOf(inside)[0]
}

/** Selects these where the folder is shown: now, or when it is opened next. Tells whether it is in view. */
export function reveal(folder: string, names: string | readonly string[]): boolean {
  revealWhenListed(folder, names, { focus: 'take' })
  const { view, folder: shown } = workspace()
  const isShown = view === 'listing' && shown === folder
  if (isShown) void refreshFolders(folder)
  return isShown
}

/** What is new, by folder: from the one that holds a file up to the one that it was sent to. */
export function namesByFolder(jobs: readonly Pick<Job, 'path' | 'into'>[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>()
  for (const { path, into } of jobs) {
    let below = path
    for (;;) {
      const folder = parentOf(below)
      const names = folders.get(folder) ?? new Set()
      // Whatever lies above is noted already.
      if (names.has(nameOf(below))) break
      folders.set(folder, names.add(nameOf(below)))
      if (folder === into || folder === '/') break
      below = folder
    }
  }
  return folders
}

/** How all of it can be taken back, or null. The folders that were sent stand for what is in them. */
export function rememberUploads(jobs: readonly Job[]): UndoableChange | null {
  const batches = [...new Set(jobs.flatMap(({ batch }) => batch ?? []))]
  const put = [...Map.groupBy(jobs, ({ into }) => into)].flatMap(([into, own]) =>
    namesIn(into, own).map((name) => join(into, name)),
  )
  return rememberChange({ kind: 'upload', names: put.map(nameOf), batches, gone: [], put })
}

/** Listings show what has arrived. Where that fails, they do when they are read again. */
export function showArrived(jobs: readonly Job[], session: AbortSignal): void {
  for (const [folder, names] of namesByFolder(jobs)) void showIn(folder, [...names], session)
}

export const showIn = (folder: string, names: readonly string[], session: AbortSignal): Promise<void> =>
  showNow(folder, names, session).catch(() => {})
