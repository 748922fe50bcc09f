import type { FileAction } from '../../actions/action.ts'
import { can } from '../../api/session.ts'
import { clipboard } from '../../place/clipboard.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { toastSuccess } from '../../ui/toasts.ts'
import { sayOfAll } from './say-of-all.ts'
import { ship } from './ship.ts'

export const clipCopy: FileAction = {
  id: 'clip-copy',
  label: 'change.copy',
  icon: 'copy',
  shortcut: 'Mod+C',
  isAvailable: ({ view, chosen }) => can('create') && view === 'listing' && chosen.length > 0,
  run({ folder, chosen }) {
    clipboard.set({ kind: 'copy', folder, entries: chosen })
    toastSuccess(sayOfAll('heldCopy', chosen))
  },
}

export const clipCut: FileAction = {
  id: 'clip-cut',
  label: 'change.cut',
  icon: 'cut',
  shortcut: 'Mod+X',
  isAvailable: ({ view, chosen }) => can('rename') && view === 'listing' && chosen.length > 0,
  run({ folder, chosen }) {
    clipboard.set({ kind: 'cut', folder, entries: chosen })
    toastSuccess(sayOfAll('heldCut', chosen))
  },
}

export const paste: FileAction = {
  id: 'paste',
  label: 'change.paste',
  icon: 'paste',
  shortcut: 'Mod+V',
  isAvailable({ view }) {
    const held = clipboard.get()
    return held !== null && view === 'listing' && can(held.kind === 'copy' ? 'create' : 'rename')
  },
  isShownGreyed: ({ view }) => clipboard.get() === null && view === 'listing' && (can('create') || can('rename')),
  async run({ folder }) {
    const held = clipboard.get()
    if (held === null) return
    const { kind, folder: from, entries } = held
    // Cut and pasted where it was: it is where it shall be.
    if (kind === 'cut' && from === folder) return clipboard.set(null)
    // What is cut is on its way with the first paste: a second one must not look for it where it no longer is.
    if (kind === 'cut') clipboard.set(null)
    const session = sessionSignal()
    let isDone = false
    try {
      isDone = (await ship({ action: kind === 'copy' ? 'copy' : 'rename', entries, from, to: folder })) !== null
    } finally {
      if (!isDone && !session.aborted && kind === 'cut' && clipboard.get() === null) clipboard.set(held)
    }
  },
}
