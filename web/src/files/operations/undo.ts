import type { Command } from '../../commands/command.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import type { UndoableChange } from '../../server/operations/change.ts'
import { lastChange, onceTaken, type Way } from '../../server/operations/undo-stack.ts'
import { sessionQueue } from '../../state/session-queue.ts'
import { closeToast, toastOffer, toastSuccess } from '../../ui/toasts.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { namesOf } from './name-list.tsx'

/** Not in the editor, where the same keys mean the text. */
export const isUndoing = ({ view }: Workspace): boolean => view === 'listing' || view === 'preview'

export const undo: Command = {
  id: 'undo',
  label: 'change.undo',
  icon: 'undo',
  keys: [{ keys: 'Mod+Z' }],
  menus: { folder: [2, 3], 'phone-more': [2, 6] },
  title: () => describeUndo(lastChange()),
  when: (workspace) => isUndoing(workspace) && lastChange() !== undefined,
  run: () => undoLast('undo'),
}

/** One undo waits for the other: what was changed last is taken back first. */
export const undoing = sessionQueue()

const load = () => import('./undo-change.ts')

export const undoLast = (way: Way): Promise<void> => undoing.add(async () => (await load()).undoLast(way))

/** Says that something was done, and offers to undo it, or to do it again, where that can be done. */
export function toastUndoable(text: string, change: UndoableChange | null, way: Way = 'undo'): void {
  if (change === null) {
    toastSuccess(text)
    return
  }
  const undone = () => undoing.add(async () => (await load()).undoChange(change, way))
  const label = t(way === 'undo' ? 'change.undo' : 'change.redo')
  const id = toastOffer(text, { label, run: () => void undone().catch(showFailure) })
  onceTaken(change, way, () => closeToast(id))
}

/** "Undo rename of a.txt". */
export function describeUndo(change: UndoableChange | undefined): string {
  if (change === undefined) return t('change.undo')
  return t(texts[change.kind], { names: namesOf(change.names.map((name) => ({ name }))) })
}

const texts = {
  rename: 'change.undoRename',
  move: 'change.undoMove',
  copy: 'change.undoCopy',
  create: 'change.undoCreate',
  delete: 'change.undoDelete',
  restore: 'change.undoRestore',
  upload: 'change.undoUpload',
  save: 'change.undoSave',
  extract: 'change.undoExtract',
} as const
