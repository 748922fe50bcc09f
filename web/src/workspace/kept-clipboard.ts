import { personalItem } from '../state/personal-storage.ts'
import { perSession } from '../state/session-scope.ts'
import { type Clipboard, clipboard } from './clipboard.ts'

/** More entries would fill the storage that all tabs share. They are held by the page that took them alone. */
const mostKept = 2000

const item = personalItem('clipboard')

/**
 * Keeps the clipboard of a session for its person, from now on: a reload, another tab and a session after one that was
 * cut off find it again. Signing out removes it, and so does the sign-in of another person.
 */
export const keepClipboard = perSession((scope) => {
  const isOn = () => !scope.signal.aborted
  // What was taken before this was loaded is newer than what is kept.
  if (clipboard.get() === null) clipboard.set(stored())
  else store(clipboard.get())
  let last = clipboard.get()
  const unsubscribe = clipboard.subscribe(() => {
    if (!isOn() || clipboard.get() === last) return
    last = clipboard.get()
    store(last)
  })
  const onStorage = ({ key }: StorageEvent) => {
    if (key !== item.key || !isOn()) return
    last = stored()
    clipboard.set(last)
  }
  addEventListener('storage', onStorage)
  scope.onEnd(() => {
    unsubscribe()
    removeEventListener('storage', onStorage)
  })
})

function store(held: Clipboard | null): void {
  if (held === null || held.entries.length > mostKept) {
    item.remove()
    return
  }
  try {
    item.write(JSON.stringify(held))
  } catch {
    // The storage is full: what was kept before must not be taken for this.
    item.remove()
  }
}

function stored(): Clipboard | null {
  try {
    const kept = JSON.parse(item.read() ?? 'null')
    return Array.isArray(kept?.entries) ? kept : null
  } catch {
    return null
  }
}
