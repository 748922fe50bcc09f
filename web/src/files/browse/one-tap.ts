import type { Entry } from '../../server/queries/resources.ts'
import { useUser } from '../../server/session.ts'
import { note } from '../../state/personal-storage.ts'
import { sessionStore } from '../../state/session-scope.ts'
import { createStore } from '../../state/store.ts'

const storageKey = 'filestead.one-tap'
const kept = localStorage.getItem(storageKey)

/** Chosen for this device: a tap opens, or a double tap does. Null until the question was answered. */
const chosen = createStore<boolean | null>(kept === null ? null : kept === 'yes')

/** Does the tap of a finger open? As a click does in the user's profile, unless this device has its own choice. */
export function useOpensOnTap(): boolean {
  const { singleClick } = useUser()
  return chosen.use() ?? singleClick
}

export function chooseOneTap(isOneTap: boolean): void {
  note(localStorage, storageKey, isOneTap ? 'yes' : 'no')
  chosen.set(isOneTap)
  asked.set(null)
}

/** The entry whose tap has raised the question. */
export const asked = sessionStore<Entry | null>(null)

/** With the first tap that selects, where a tap opens on other devices. */
export function askForOneTap(entry: Entry): void {
  if (chosen.get() === null) asked.set(entry)
}
