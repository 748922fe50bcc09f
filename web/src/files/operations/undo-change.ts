import { nameOf, type Operation, parentOf, undoObstacles, undoRefusals } from '@filestead/contract'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { needTexts, t } from '../../i18n/i18n.ts'
import { currentFilesPath, fileAddress } from '../../navigation/addresses.ts'
import { goTo, mayLeave } from '../../navigation/location.ts'
import { ApiError } from '../../server/client.ts'
import type { ChangeKind, UndoableChange } from '../../server/operations/change.ts'
import { askAgain, whenSent } from '../../server/operations/operation.ts'
import { lastChange, putBack, takeChange, type Way } from '../../server/operations/undo-stack.ts'
import { unsettle } from '../../server/operations/unsettled.ts'
import { cache } from '../../server/queries/cache.ts'
import { operationsQuery } from '../../server/queries/operations.ts'
import { isGuest } from '../../server/session.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { toastError, toastSuccess } from '../../ui/toasts.ts'
import { filesReplaced } from '../../workspace/replaced-files.ts'
import { moveTexts } from '../../workspace/unsaved-text.ts'
import { type Workspace, workspace } from '../../workspace/workspace.ts'
import { loadJobs } from './load-work.ts'
import { namesOf } from './name-list.tsx'
import { revealArrived, revealBeside } from './neighbours.ts'
import { textForAll } from './text-for-all.ts'
import { untilOver } from './under-way.ts'
import { describeUndo, toastUndoable } from './undo.ts'

/** Takes back what was done last, or does again what was taken back last: in this tab, else in any. */
export async function undoLast(way: Way): Promise<void> {
  const session = sessionSignal()
  // A change that is shown already and still on its way is the last one.
  await whenSent()
  // So is a job: it can be undone when it is over.
  const isThere = way === 'redo' || (await untilOver(() => toastSuccess(t('change.undoWaits'))))
  session.throwIfAborted()
  if (!isThere) return
  const change = lastChange(way)
  if (change !== undefined) return undoChange(change, way)
  if (isGuest()) return
  const earlier = lastIn(await cache().fetchQuery(operationsQuery()), way)
  session.throwIfAborted()
  if (earlier === undefined) toastSuccess(t(way === 'undo' ? 'change.nothingToUndo' : 'change.nothingToRedo'))
  else await undoListed(earlier)
}

/** What was done by a page that is gone, or on another device. The newest comes first. */
function lastIn(operations: readonly Operation[], way: Way): Operation | undefined {
  const [newest] = operations
  if (way === 'redo') return newest?.kind === 'undo' && newest.canUndo ? newest : undefined
  return operations.find(({ kind, canUndo }) => kind !== 'undo' && canUndo)
}

/** Takes back an operation as the server lists it. */
export async function undoListed(operation: Operation): Promise<void> {
  const way: Way = operation.kind === 'undo' ? 'redo' : 'undo'
  const isRename = operation.renamedTo !== undefined && operation.count === 1
  const kind = isRename ? 'rename' : kinds[operation.kind === 'undo' ? (operation.undid ?? 'move') : operation.kind]
  const change = { kind, names: namesIn(operation), batches: [operation.id], gone: [], put: [] }
  // One that this tab remembers is on its stack no longer.
  const own = lastChange(way)?.batches.includes(operation.id) ? lastChange(way) : undefined
  if (own !== undefined) return undoChange(own, way)
  putBack(way, change)
  await undoChange(change, way)
}

/** The server names the first few: the others are counted. */
const namesIn = ({ names, count }: Operation): string[] =>
  Array.from({ length: Math.max(count, names.length) }, (_, index) => names[index] ?? '')

const kinds: Readonly<Record<Operation['kind'], ChangeKind>> = {
  save: 'save',
  create: 'create',
  'create-folder': 'create',
  upload: 'upload',
  copy: 'copy',
  move: 'move',
  extract: 'extract',
  remove: 'delete',
  restore: 'restore',
  undo: 'move',
}

/**
 * Has the server take back what was done under these ids, the last first. What was changed since by others stays, and the
 * server says why. What was taken back can be done again.
 */
export async function undoChange(change: UndoableChange, way: Way): Promise<void> {
  const settle = unsettle([...change.gone, ...change.put])
  let showing: Promise<void> | undefined
  try {
    showing = (await takeBack(change, way))?.showing
  } finally {
    void Promise.allSettled([showing]).then(settle)
  }
}

/** Answers when listings show it, or undefined where nothing was asked of the server. */
async function takeBack(change: UndoableChange, way: Way): Promise<{ showing: Promise<void> } | undefined> {
  const session = sessionSignal()
  // Where it cannot be loaded, the change can still be undone later.
  const { runJob } = await loadJobs()
  // What is not saved yet has to be saved, or given up, while the file still has its present name.
  const followed = pathInView(change)
  if (followed !== undefined && !(await mayLeave(fileAddress(followed)))) return undefined
  if (session.aborted || !takeChange(change, way)) return undefined
  const begun = workspace()
  const title = way === 'undo' ? describeUndo(change) : t('change.redo')
  let undone: readonly string[] = []
  let by: 'user' | 'background' = 'user'
  let error: unknown = null
  for (const batch of change.batches.toReversed()) {
    const outcome = await runJob([everything], () => ({ kind: 'undo', operation: batch }), { title, session })
    by = outcome.by
    if (outcome.done.length > 0) {
      undone = [...undone, ...outcome.jobs]
      continue
    }
    error = outcome.failed[0]?.error ?? null
    break
  }
  session.throwIfAborted()
  const left = change.batches.slice(0, change.batches.length - undone.length)
  // A refusal stays one; what could not be asked is asked again by the next try.
  const isLater = error === null || (error instanceof ApiError && error.status === 0)
  if (left.length > 0 && isLater) putBack(way, { ...change, batches: left })
  const inverse = { ...change, batches: undone, gone: change.put, put: change.gone }
  // Of a part it is not known which entries it were.
  const showing =
    left.length === 0 ? show(inverse, begun, by, session) : askAgain([...change.gone, ...change.put], session)
  if (error !== null) toastError(t('change.undoFailed', { what: title, reason: await reasonOf(error) }))
  if (undone.length === 0) return { showing }
  const other: Way = way === 'undo' ? 'redo' : 'undo'
  putBack(other, inverse)
  toastUndoable(way === 'undo' ? undoneText(inverse) : t('change.redone', { names: listed(change) }), inverse, other)
  return { showing }
}

/** One job is about all of it: whatever fails in it is a failure of it. */
const everything = { path: '/', name: '' }

/** In the language of the page, where the server says the reason in a word; else in its sentence. */
async function reasonOf(error: unknown): Promise<string> {
  if (!(error instanceof ApiError) || error.status === 0 || error.message === '') return describeFailure(error)
  const { reason, name } = error.problem ?? {}
  const obstacle = undoObstacles.find((each) => each === reason)
  const refusal = undoRefusals.find((each) => each === reason)
  await needTexts('trash')
  if (obstacle !== undefined && name !== undefined) return t(`trash.obstacles.${obstacle}`, { name })
  return refusal === undefined ? error.message : t(`trash.why.${refusal}`)
}

const listed = ({ names }: UndoableChange): string => namesOf(names.map((name) => ({ name })))

/** The path that the file in view had before a change, and gets back. */
function pathInView({ kind, gone, put }: Pick<UndoableChange, 'kind' | 'gone' | 'put'>): string | undefined {
  const isInView = workspace().view === 'editor' || workspace().view === 'preview'
  if (!isInView || (kind !== 'rename' && kind !== 'move')) return undefined
  const at = put.indexOf(currentFilesPath())
  return at === -1 ? undefined : gone[at]
}

/** Listings ask for what has changed, texts and what is in view follow, and what came back is selected. */
async function show(
  { kind, gone, put }: UndoableChange,
  begun: Workspace,
  by: 'user' | 'background',
  session: AbortSignal,
): Promise<void> {
  if (kind === 'rename' || kind === 'move') {
    moveTexts(gone.flatMap((from, index) => ({ from, to: put[index] ?? from })))
    const followed = pathInView({ kind, gone: put, put: gone })
    // First the address: what was read of the old path is forgotten, and must not be asked for again.
    if (followed !== undefined) goTo(fileAddress(followed), { replace: true })
  }
  const arriving = Map.groupBy(put, parentOf)
  for (const [folder, own] of Map.groupBy(gone, parentOf)) {
    const left = own.map((path) => ({ path }))
    if (!arriving.has(folder)) revealBeside(folder, left, begun, by)
  }
  filesReplaced([...gone, ...put])
  await askAgain([...gone, ...put], session)
  if (session.aborted) return
  // Not before all of them are listed: the server may tell of them one by one.
  for (const [folder, own] of arriving) revealArrived(folder, own.map(nameOf), begun, by)
}

function undoneText({ kind, names, put }: UndoableChange): string {
  const entries = names.map((name) => ({ name }))
  switch (kind) {
    case 'rename':
      return t('change.renamedTo', { name: nameOf(put[0] ?? '') || (names[0] ?? '') })
    case 'move':
      return textForAll('movedBack', entries)
    case 'delete':
      return textForAll('restored', entries)
    case 'save':
      return t('change.savedBack', { name: names[0] ?? '' })
    default:
      return textForAll('takenBack', entries)
  }
}
