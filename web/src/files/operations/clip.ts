import type { Command } from '../../commands/command.ts'
import { may, mayCopy, mayIn, mayTransfer } from '../../server/queries/access.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { copyText } from '../../ui/copy-text.ts'
import { toastSuccess } from '../../ui/toasts.ts'
import { type Clipboard, clipboard } from '../../workspace/clipboard.ts'
import { textForAll } from './text-for-all.ts'
import { transferEntries } from './transfer.ts'
import { sourceOf } from './transfer-plan.ts'

export const clipCopy: Command = {
  id: 'clip-copy',
  label: 'change.copy',
  icon: 'copy',
  menus: { entry: [3, 1] },
  keys: [{ keys: 'Mod+C' }],
  when: ({ view, folder, chosen }) => view === 'listing' && chosen.length > 0 && mayCopy(chosen, folder),
  run(workspace) {
    hold({ kind: 'copy', folder: sourceOf(workspace), entries: workspace.chosen })
    toastSuccess(textForAll('heldCopy', workspace.chosen))
  },
}

export const clipCut: Command = {
  id: 'clip-cut',
  label: 'change.cut',
  icon: 'cut',
  menus: { entry: [3, 2] },
  keys: [{ keys: 'Mod+X' }],
  when: ({ view, chosen }) => view === 'listing' && chosen.length > 0 && may('move', chosen),
  run(workspace) {
    hold({ kind: 'cut', folder: sourceOf(workspace), entries: workspace.chosen })
    toastSuccess(textForAll('heldCut', workspace.chosen))
  },
}

/**
 * The names go to the system's clipboard. A picture that was copied before is no longer there, so that a paste means
 * these entries; one that is copied later is, and is what a paste means then.
 */
function hold(held: Clipboard): void {
  clipboard.set(held)
  const names = held.entries.slice(0, mostNames).map(({ name }) => name)
  void copyText(names.join('\n')).catch(() => {})
}

/** A text of more names is of no use. */
const mostNames = 1000

export const paste: Command = {
  id: 'paste',
  label: 'change.paste',
  icon: 'paste',
  menus: { entry: [3, 3], folder: [2, 1], toolbar: [1, 2], 'phone-more': [2, 1] },
  keys: [{ keys: 'Mod+V', event: 'paste' }],
  when({ view, query, folder }) {
    const held = clipboard.get()
    if (held === null || view !== 'listing' || query !== null) return false
    return mayTransfer(held.kind === 'copy' ? 'copy' : 'rename', held.entries, folder)
  },
  isShownGreyed: ({ view, folder }) =>
    clipboard.get() === null && view === 'listing' && (mayIn(folder) || mayIn(folder, 'receive')),
  async run({ folder }) {
    const held = clipboard.get()
    if (held === null) return
    const { kind, folder: from, entries } = held
    // Cut and pasted where it was: it is where it shall be.
    if (kind === 'cut' && from === folder) return clipboard.set(null)
    // What is cut moves with the first paste: a second one must not look for it where it no longer is.
    if (kind === 'cut') clipboard.set(null)
    const session = sessionSignal()
    let isDone = false
    try {
      isDone =
        (await transferEntries({ action: kind === 'copy' ? 'copy' : 'rename', entries, from, to: folder })) !== null
    } finally {
      if (!isDone && !session.aborted && kind === 'cut' && clipboard.get() === null) clipboard.set(held)
    }
  },
}
