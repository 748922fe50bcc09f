import { nameOf, parentOf } from '@filestead/contract'
import { addressOf, currentFilesPath } from '../../navigation/addresses.ts'
import { goTo, mayLeave } from '../../navigation/location.ts'
import type { Change, Operation, UndoableChange } from '../../server/operations/change.ts'
import { run } from '../../server/operations/operation.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { nothing } from '../../workspace/selection.ts'
import { moveTexts } from '../../workspace/unsaved-text.ts'
import { revealWhenListed, workspace } from '../../workspace/workspace.ts'

/**
 * Gives an entry another path, as renaming does. A listing shows it at once, and selects the entry; a file in view stays
 * in view, under its new address. Rejects where the server refuses, with everything as it was. Answers how it can be
 * undone.
 */
export async function changePath(operation: Operation): Promise<UndoableChange | null> {
  const session = sessionSignal()
  const { from, to } = pathsOf(operation)
  if (!isInView(from)) {
    revealWhenListed(parentOf(to.path), nameOf(to.path))
    return run('rename', operation, session, { onMade: () => moveTextsAlong([operation]) }).catch((error) => {
      // The entry is selected under its old name again, unless something else is by now.
      const { names } = session.aborted ? nothing : workspace().selection
      if (names.size === 1 && names.has(nameOf(to.path))) revealWhenListed(parentOf(from), nameOf(from))
      throw error
    })
  }
  // What is not saved yet has to be saved, or given up, while the file still has its old name.
  if (!(await mayLeave(addressOf(to)))) throw new DOMException('Changes are not saved', 'AbortError')
  return run('rename', operation, session, {
    isShownFirst: false,
    onMade() {
      moveTextsAlong([operation])
      revealWhenListed(parentOf(to.path), nameOf(to.path))
      // First the address: what was read of the old path is forgotten, and must not be asked for again.
      if (isInView(from)) goTo(addressOf(to), { replace: true })
    },
  })
}

/** The server has made these changes of paths: unsaved texts of the files are found under the new ones. */
export const moveTextsAlong = (operations: readonly Change[]): void =>
  moveTexts(operations.map(pathsOf).map(({ from, to }) => ({ from, to: to.path })))

const isInView = (path: string): boolean =>
  ['editor', 'preview'].includes(workspace().view) && currentFilesPath() === path

/** Both ends of a change of a path. */
function pathsOf({ expected }: Change) {
  const [gone, put] = expected
  if (gone?.kind !== 'gone' || put?.kind !== 'put') throw new TypeError('not a change of a path')
  return { from: gone.path, to: put.entry }
}
