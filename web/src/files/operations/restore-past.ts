import { type JobConflict, nameOf, parentOf } from '@filestead/contract'
import { t } from '../../i18n/i18n.ts'
import { showNow, whenSent } from '../../server/operations/operation.ts'
import { rememberChange } from '../../server/operations/undo-stack.ts'
import { cache } from '../../server/queries/cache.ts'
import type { PastRef } from '../../server/queries/past.ts'
import { entriesNamed } from '../../server/queries/resources.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { toastSuccess } from '../../ui/toasts.ts'
import { filesReplaced } from '../../workspace/replaced-files.ts'
import { askAboutTransfer } from './conflicts/ask-about-transfer.ts'
import { loadJobs } from './load-work.ts'
import { reportOutcome } from './report-outcome.ts'
import { textForAll } from './text-for-all.ts'
import { underWay } from './under-way.ts'
import { toastUndoable } from './undo.ts'

/** Something of the past, and the path that it shall have. */
export interface Restorable {
  past: PastRef
  /** The path that it had then. */
  path: string
  to: string
  isDir: boolean
  size: number
  /** ISO time of its content. */
  modified: string
}

/**
 * Brings things back, asking about names that are taken; parents that are gone are made again by the server. Says what was
 * done. With `replaces` what has their names gives way without a question. Answers how many came back; null where the
 * person has decided against it.
 */
export const restorePast = (wanted: readonly Restorable[], { replaces = false } = {}): Promise<number | null> =>
  underWay(() => restoreWanted(wanted, replaces))

async function restoreWanted(wanted: readonly Restorable[], replaces: boolean): Promise<number | null> {
  const session = sessionSignal()
  const { runJob } = await loadJobs()
  await whenSent()
  const conflicts = replaces ? [] : await conflictsOf(wanted, session)
  session.throwIfAborted()
  const folder = commonFolder(wanted.map(({ to }) => parentOf(to)))
  const taken = { conflicts, identical: 0, isCut: false }
  const decided = await askAboutTransfer(taken, { to: folder, entries: [], kind: 'restore' })
  if (decided === null) return null
  const { choices } = decided
  const onConflict = replaces ? 'replace' : decided.onConflict
  const items = wanted.filter(({ to }) => choices[to] !== 'skip').map((item) => ({ ...item, name: nameOf(item.to) }))
  if (items.length === 0) {
    toastSuccess(t('change.alreadyThere', { count: wanted.length }))
    return null
  }
  const outcome = await runJob(
    items,
    (own) => ({
      kind: 'restore',
      items: own.map(({ past, path, to }) => ({ past, from: path, to })),
      onConflict,
      choices,
    }),
    { title: t('change.restoring', { count: items.length }), session },
  )
  const { done, jobs, isCertain } = outcome
  const put = done.map(({ path, to }) => outcome.arrived.get(path) ?? to)
  for (const [parent, own] of Map.groupBy(put, parentOf)) void showNow(parent, own.map(nameOf), session).catch(() => {})
  filesReplaced(put)
  for (const kind of ['trash', 'timeline', 'folder-at', 'operations', 'usage'])
    void cache().invalidateQueries({ queryKey: [kind] })
  const names = done.map(({ name }) => name)
  const change =
    done.length === 0
      ? null
      : rememberChange({ kind: 'restore', names, batches: jobs, gone: [], put: isCertain ? put : [] })
  session.throwIfAborted()
  reportOutcome(outcome, 'change.restoreFailed', () => toastUndoable(textForAll('restored', done), change))
  return done.length
}

/** Names that are taken where things shall come to. Below folders that are merged the job itself asks. */
async function conflictsOf(wanted: readonly Restorable[], session: AbortSignal): Promise<JobConflict[]> {
  const found: JobConflict[] = []
  for (const [folder, own] of Map.groupBy(wanted, ({ to }) => parentOf(to))) {
    const names = own.map(({ to }) => nameOf(to))
    // A folder that is gone has no names that are taken.
    const there = await entriesNamed(folder, names, session).catch(() => [])
    for (const { path, to, isDir, size, modified } of own) {
      const target = there.find((entry) => entry.path === to)
      if (target !== undefined)
        found.push({ from: path, to, source: { isDir, size, modified }, target: sideOf(target) })
    }
  }
  return found
}

const sideOf = ({ isDir, size, modified }: JobConflict['target']): JobConflict['target'] => ({ isDir, size, modified })

/** The folder that all of these are, or '/' for several. */
const commonFolder = (folders: readonly string[]): string => {
  const [first, ...others] = new Set(folders)
  return first !== undefined && others.length === 0 ? first : '/'
}
