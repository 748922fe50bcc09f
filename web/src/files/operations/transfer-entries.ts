import { type JobRequest, nameOf, parentOf } from '@filestead/contract'
import { t } from '../../i18n/i18n.ts'
import type { UndoableChange } from '../../server/operations/change.ts'
import { copying, moving } from '../../server/operations/files.ts'
import { conclude, concludeUnsure, whenSent } from '../../server/operations/operation.ts'
import { rememberChange } from '../../server/operations/undo-stack.ts'
import { takenNames } from '../../server/queries/jobs.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { toastError, toastSuccess } from '../../ui/toasts.ts'
import { workspace } from '../../workspace/workspace.ts'
import { moveTextsAlong } from './change-path.ts'
import { askAboutTransfer, type Choices } from './conflicts/ask-about-transfer.ts'
import { loadJobs } from './load-work.ts'
import { namesOf } from './name-list.tsx'
import { revealArrived, revealBeside } from './neighbours.ts'
import type { JobOutcome } from './outcome.ts'
import { reportOutcome } from './report-outcome.ts'
import { textForAll } from './text-for-all.ts'
import {
  intoThemselves,
  outermost,
  type TransferItem,
  type TransferRequest,
  type Transferred,
  transferItems,
} from './transfer-plan.ts'
import { underWay } from './under-way.ts'
import { toastUndoable } from './undo.ts'

/**
 * Copies or moves entries to a folder, asking about names that are taken. Says what was done. Answers what went
 * there, or null when nothing did.
 */
export const transferEntries = (asked: TransferRequest): Promise<Transferred | null> => underWay(() => transfer(asked))

async function transfer(asked: TransferRequest): Promise<Transferred | null> {
  const request = withoutThoseThere(asked)
  const session = sessionSignal()
  const { action, from, to } = request
  const begun = workspace()
  const impossible = intoThemselves(request)
  if (impossible.length > 0) {
    toastError(t('change.intoItself', { names: namesOf(impossible) }))
    return null
  }
  const { runJob } = await loadJobs()
  await whenSent()
  const all = transferItems(request)
  const decided = await choicesFor(request, all, session)
  if (decided === null) return null
  const { choices, onConflict } = decided
  const items = all.filter((item) => choices[item.to] !== 'skip')
  if (items.length === 0) {
    toastSuccess(t('change.alreadyThere', { count: all.length }))
    return null
  }

  const isCopy = action === 'copy'
  const count = items.length
  const title = isCopy ? t('change.copying', { count }) : t('change.moving', { count })
  const kind = isCopy ? 'copy' : 'move'
  const requestFor = (own: readonly TransferItem[]): JobRequest => ({
    kind,
    items: own.map(({ path, to }) => ({ from: path, to })),
    onConflict,
    choices,
  })
  const outcome = await runJob(items, requestFor, { title, session })
  const pathNow = ({ path, to }: TransferItem) => outcome.arrived.get(path) ?? to
  const operationFor = (item: TransferItem) => (isCopy ? copying : moving)(item.entry, pathNow(item))
  const names = outcome.done.map(pathNow).map(nameOf)
  revealArrived(to, names, begun, outcome.by)
  if (!isCopy && outcome.isCertain)
    revealBeside(
      from,
      outcome.done.map(({ entry }) => entry),
      begun,
      outcome.by,
    )
  const operations = outcome.done.map(operationFor)
  /** Which ones it were the server knows, and takes back. */
  const unsureChange = () =>
    rememberChange({ kind, names: items.map(({ name }) => name), batches: outcome.jobs, gone: [], put: [] })
  const change = outcome.isCertain ? conclude(kind, operations, session, outcome.jobs) : unsureChange()
  // Of a folder a part may have gone.
  const unsure = outcome.isCertain ? outcome.failed.map(({ item }) => item) : items
  concludeUnsure(unsure.map(operationFor), session)
  session.throwIfAborted()
  if (!isCopy && outcome.isCertain) moveTextsAlong(operations)
  report(request, outcome, change)
  return outcome.done.length === 0 ? null : { names, by: outcome.by }
}

/** Beside itself a copy can only be a second one: there is nothing to ask. */
async function choicesFor(
  { from, to, entries }: TransferRequest,
  items: readonly TransferItem[],
  session: AbortSignal,
): Promise<Choices | null> {
  if (from === to) return { choices: {}, onConflict: 'keep-both' }
  const taken = await takenNames(
    items.map(({ path, to }) => ({ from: path, to })),
    session,
  )
  session.throwIfAborted()
  return askAboutTransfer(taken, { to, entries })
}

/** Of entries of several folders some may be where the others go, or inside of them: these are not moved by themselves. */
const withoutThoseThere = (request: TransferRequest): TransferRequest =>
  request.action === 'rename' && request.from === ''
    ? { ...request, entries: outermost(request.entries).filter(({ path }) => parentOf(path) !== request.to) }
    : request

function report(
  { action, to }: TransferRequest,
  outcome: JobOutcome<TransferItem>,
  change: UndoableChange | null,
): void {
  const { done, skipped, isCertain } = outcome
  const isCopy = action === 'copy'
  if (done.length === 0 && skipped > 0) toastSuccess(t('change.alreadyThere', { count: skipped }))
  reportOutcome(outcome, isCopy ? 'change.copyFailed' : 'change.moveFailed', () => {
    const folder = to === '/' ? t('frame.myFiles') : nameOf(to)
    const count = done.length
    // Which ones it were is not known.
    const counted = isCopy ? t('change.copied', { count, folder }) : t('change.moved', { count, folder })
    toastUndoable(isCertain ? textForAll(isCopy ? 'copied' : 'moved', done, { folder }) : counted, change)
  })
}
