import { nameOf, parentOf } from '@filestead/contract'
import { t } from '../../i18n/i18n.ts'
import { ApiError } from '../../server/client.ts'
import type { UndoableChange } from '../../server/operations/change.ts'
import { copying, moving } from '../../server/operations/files.ts'
import { conclude, whenSent } from '../../server/operations/operation.ts'
import { entriesNamed, refreshFolders } from '../../server/queries/resources.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { toastError, toastSuccess } from '../../ui/toasts.ts'
import { workspace } from '../../workspace/workspace.ts'
import { moveTextsAlong } from './change-path.ts'
import { askAboutConflicts } from './conflicts/ask-about-conflicts.ts'
import { loadBatch } from './load-batch.ts'
import { namesOf } from './name-list.tsx'
import { revealArrived, revealBeside } from './neighbours.ts'
import { reportOutcome } from './report-outcome.ts'
import { sendItem } from './send-item.ts'
import { textForAll } from './text-for-all.ts'
import {
  conflictsOf,
  intoThemselves,
  outermost,
  type TransferItem,
  type TransferRequest,
  transferItems,
} from './transfer-plan.ts'
import { toastUndoable } from './undo.ts'

/**
 * Copies or moves entries to a folder, asking about names that are taken. Says what was done. Answers the names they
 * have there now, or null when nothing went anywhere.
 */
export async function transferEntries(asked: TransferRequest): Promise<string[] | null> {
  const request = withoutThoseThere(asked)
  const session = sessionSignal()
  const { action, from, to } = request
  const begun = workspace()
  const impossible = intoThemselves(request)
  if (impossible.length > 0) {
    toastError(t('change.intoItself', { names: namesOf(impossible) }))
    return null
  }
  const { workThrough } = await loadBatch()
  await whenSent()
  const there = await entriesNamed(
    to,
    request.entries.map(({ name }) => name),
    session,
  )
  const conflicts = conflictsOf(request, there)
  // Beside itself a copy can only be a second one: there is nothing to ask.
  const decisions =
    from === to ? conflicts.map(() => 'rename' as const) : await askAboutConflicts(conflicts, 'transfer')
  if (decisions === null) return null
  const items = transferItems(request, conflicts, decisions)
  if (items.length === 0) {
    toastSuccess(t('change.alreadyThere', { count: request.entries.length }))
    return null
  }

  const count = items.length
  const title = action === 'copy' ? t('change.copying', { count }) : t('change.moving', { count })
  const arrived = new Map<TransferItem, string>()
  const kind = action === 'copy' ? 'copy' : 'move'
  // One after the other: two at once would only fight for the same disk.
  const outcome = await workThrough(items, { kind, title, atOnce: 1, session }, async (item, signal, lost) => {
    arrived.set(item, await sendItem(action, item, signal, lost))
  })
  const names = [...arrived.values()].map(nameOf)
  revealArrived(to, names, begun, outcome.by)
  if (action === 'rename')
    revealBeside(
      from,
      outcome.done.map(({ entry }) => entry),
      outcome.by,
    )
  const isCopy = action === 'copy'
  const operations = [...arrived].map(([{ entry, onConflict }, path]) =>
    isCopy ? copying(entry, path, onConflict) : moving(entry, path, onConflict),
  )
  const change = conclude(isCopy ? 'copy' : 'move', operations, session)
  session.throwIfAborted()
  if (!isCopy) moveTextsAlong(operations)
  // What became of an item whose answer was lost only the listings can tell.
  if (outcome.failed.some(({ error }) => error instanceof ApiError && error.status === 0))
    void refreshFolders([from, to])
  reportOutcome(outcome, isCopy ? 'change.copyFailed' : 'change.moveFailed', () =>
    sayDone(request, outcome.done, change),
  )
  return outcome.done.length === 0 ? null : names
}

/** Of entries of several folders some may be where the others go, or inside of them: these are not moved by themselves. */
const withoutThoseThere = (request: TransferRequest): TransferRequest =>
  request.action === 'rename' && request.from === ''
    ? { ...request, entries: outermost(request.entries).filter(({ path }) => parentOf(path) !== request.to) }
    : request

function sayDone({ action, to }: TransferRequest, done: readonly TransferItem[], change: UndoableChange | null): void {
  const folder = to === '/' ? t('frame.myFiles') : nameOf(to)
  toastUndoable(textForAll(action === 'copy' ? 'copied' : 'moved', done, { folder }), change)
}
