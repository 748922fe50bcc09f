import type { Command } from '../../commands/command.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import type { UndoableChange } from '../../server/operations/change.ts'
import { lastChange, onceTaken } from '../../server/operations/undo-stack.ts'
import { sessionQueue } from '../../state/session-queue.ts'
import { closeToast, toastOffer, toastSuccess } from '../../ui/toasts.ts'
import { namesOf } from './name-list.tsx'

/** Not in the editor, where the same keys mean the text. */
export const undo: Command = {
  id: 'undo',
  label: 'change.undo',
  icon: 'undo',
  keys: [{ keys: 'Mod+Z' }],
  menus: { folder: [2, 3], 'phone-more': [2, 6] },
  title: () => describeUndo(lastChange()),
  when: ({ view }) => (view === 'listing' || view === 'preview') && lastChange() !== undefined,
  run: () => undoing.add(async () => (await import('./undo-change.ts')).undoLast()),
}

/** Says that something was done, and offers to undo it where that can be done. */
export function toastUndoable(text: string, change: UndoableChange | null): void {
  if (change === null) {
    toastSuccess(text)
    return
  }
  const undone = () => undoing.add(async () => (await import('./undo-change.ts')).undoChange(change))
  const id = toastOffer(text, { label: t('change.undo'), run: () => void undone().catch(showFailure) })
  onceTaken(change, () => closeToast(id))
}

/** One undo waits for the other: what was changed last is taken back first. */
const undoing = sessionQueue()

/** "Undo rename of a.txt". */
export function describeUndo(change: UndoableChange | undefined): string {
  if (change === undefined || change.kind === 'delete') return t('change.undo')
  return t(texts[change.kind], { names: namesOf(change.names.map((name) => ({ name }))) })
}

const texts = {
  rename: 'change.undoRename',
  move: 'change.undoMove',
  copy: 'change.undoCopy',
  create: 'change.undoCreate',
} as const
