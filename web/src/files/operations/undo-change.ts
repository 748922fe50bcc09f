import { nameOf, parentOf } from '@filestead/contract'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { ApiError, isAbort } from '../../server/client.ts'
import type { Operation, UndoableChange } from '../../server/operations/change.ts'
import { pathOf } from '../../server/operations/deltas.ts'
import { conclude, concludeUnsure, whenSent } from '../../server/operations/operation.ts'
import { MayHaveChanged } from '../../server/operations/remove-unchanged.ts'
import { lastChange, rememberChange, takeChange } from '../../server/operations/undo-stack.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { toastError, toastSuccess } from '../../ui/toasts.ts'
import { type Workspace, workspace } from '../../workspace/workspace.ts'
import { changePath, moveTextsAlong, pathsOf } from './change-path.ts'
import { loadBatch, loadJobs } from './load-work.ts'
import { namesOf } from './name-list.tsx'
import { revealArrived, revealBeside } from './neighbours.ts'
import type { Outcome } from './outcome.ts'
import { reportOutcome } from './report-outcome.ts'
import { textForAll } from './text-for-all.ts'
import { describeUndo } from './undo.ts'

export async function undoLast(): Promise<void> {
  const session = sessionSignal()
  // A change that is shown already and still on its way is the last one.
  await whenSent()
  session.throwIfAborted()
  const change = lastChange()
  if (change !== undefined) await undoChange(change)
}

export async function undoChange(change: UndoableChange): Promise<void> {
  const session = sessionSignal()
  // Where it cannot be loaded, the change can still be undone later.
  if (change.kind === 'move') await loadJobs()
  else if (change.kind !== 'rename') await loadBatch()
  if (session.aborted || !takeChange(change)) return
  const outcome = await outcomeOf(change, session)
  session.throwIfAborted()
  const unsent = outcome.failed.filter(({ error }) => error instanceof ApiError && error.status === 0)
  const rest = [...outcome.left, ...unsent.map(({ item }) => item)]
  const names = rest.length === change.inverse.length ? change.names : rest.map(({ name }) => name)
  if (rest.length > 0) rememberChange(change.kind, rest, names)
  report(change, outcome)
}

function outcomeOf(change: UndoableChange, session: AbortSignal): Promise<Outcome<Operation>> {
  if (change.kind === 'rename') return undoRename(change)
  return change.kind === 'move' ? undoMove(change, session) : undoAll(change, session)
}

/** What has gone to another disk takes as long on its way back: it is a job again. */
async function undoMove(change: UndoableChange, session: AbortSignal): Promise<Outcome<Operation>> {
  const { runJob } = await loadJobs()
  const begun = workspace()
  const items = change.inverse.map((operation) => {
    const { from, to } = pathsOf(operation)
    return { operation, path: from, to: to.path }
  })
  const ended = await runJob(
    items,
    (own) => ({ kind: 'move', items: own.map(({ path, to }) => ({ from: path, to })), onConflict: 'ask' }),
    { title: describeUndo(change), session },
  )
  const operationsOf = (list: readonly { operation: Operation }[]) => list.map(({ operation }) => operation)
  const failed = ended.failed.map(({ item, error }) => ({ item: item.operation, error }))
  const outcome = { done: operationsOf(ended.done), failed, left: operationsOf(ended.left), by: ended.by }
  if (ended.isCertain) {
    reveal(outcome, begun)
    conclude('move', outcome.done.map(final), session)
    if (!session.aborted) moveTextsAlong(outcome.done)
  } else concludeUnsure(change.inverse, session)
  return outcome
}

async function undoRename({ inverse }: UndoableChange): Promise<Outcome<Operation>> {
  const outcome: Outcome<Operation> = { done: [], failed: [], left: [], by: 'user' }
  for (const operation of inverse)
    try {
      await changePath(final(operation))
      outcome.done.push(operation)
    } catch (error) {
      if (isAbort(error)) outcome.left.push(operation)
      else outcome.failed.push({ item: operation, error })
    }
  return outcome
}

async function undoAll(change: UndoableChange, session: AbortSignal): Promise<Outcome<Operation>> {
  const work = { kind: 'delete', title: describeUndo(change), atOnce: 1, session } as const
  const begun = workspace()
  const { workThrough } = await loadBatch()
  const outcome = await workThrough(change.inverse, work, async (operation, signal, lost) => {
    await operation.send(signal).catch((error) => {
      // The answer to the first try was lost, and it was made.
      const isMade = lost !== null && error instanceof ApiError && error.code === 'not-found'
      if (!isMade) throw error
    })
  })
  reveal(outcome, begun)
  conclude('delete', outcome.done.map(final), session)
  return outcome
}

/** Undoing is not remembered in turn: the next undo takes back what was done before. */
const final = ({ name, expected, send }: Operation): Operation => ({ name, expected, send })

/** In the folder in view, what came back is selected, or the keyboard goes on beside what went. */
function reveal({ done, by }: Outcome<Operation>, begun: Workspace): void {
  const deltas = done.flatMap(({ expected }) => expected)
  for (const kind of ['gone', 'put'] as const) {
    const paths = deltas.filter((delta) => delta.kind === kind).map(pathOf)
    for (const [folder, own] of Map.groupBy(paths, parentOf)) {
      const names = own.map(nameOf)
      if (kind === 'put') revealArrived(folder, names, begun, by)
      else
        revealBeside(
          folder,
          own.map((path) => ({ path })),
          begun,
          by,
        )
    }
  }
}

function report({ kind }: UndoableChange, outcome: Outcome<Operation>): void {
  const isKept = ({ error }: { error: unknown }) => error instanceof MayHaveChanged
  const kept = outcome.failed.filter(isKept).map(({ item }) => item)
  if (kept.length > 0) toastError(t('change.undoKept', { names: namesOf(kept) }))
  const failed = outcome.failed.filter((failure) => !isKept(failure))
  if (kind === 'rename') {
    reportRename(outcome.done, failed)
    return
  }
  const isMove = kind === 'move'
  reportOutcome({ ...outcome, failed }, isMove ? 'change.moveFailed' : 'change.deleteFailed', () =>
    toastSuccess(textForAll(isMove ? 'movedBack' : 'deleted', outcome.done)),
  )
}

function reportRename(done: readonly Operation[], failed: Outcome<Operation>['failed']): void {
  for (const { item, error } of failed)
    toastError(t('change.renameFailed', { name: item.name, reason: describeFailure(error) }))
  for (const delta of done.flatMap(({ expected }) => expected))
    if (delta.kind === 'put') toastSuccess(t('change.renamedTo', { name: delta.entry.name }))
}
