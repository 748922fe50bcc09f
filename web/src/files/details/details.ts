import type { Command } from '../../commands/command.ts'
import { askWith } from '../../dialogs/ask.ts'
import { note } from '../../state/personal-storage.ts'
import { createStore } from '../../state/store.ts'
import { isMedia } from '../../ui/media.ts'

const storageKey = 'filestead.details'

/** Whether the pane is open is a matter of the screen, so it is saved in this browser and not with the user. */
const isOpen = createStore(localStorage.getItem(storageKey) === 'open')

export const useIsDetailsOpen = (): boolean => isOpen.use()

export function openDetails(isWanted: boolean): void {
  note(localStorage, storageKey, isWanted ? 'open' : 'closed')
  isOpen.set(isWanted)
}

/** The pane beside the listing; a sheet where the window has no room for it. */
export const details: Command = {
  id: 'details',
  label: 'info.details',
  icon: 'details',
  keys: [{ keys: 'i' }, { keys: 'Mod+I' }],
  menus: { toolbar: [3, 2], folder: [3, 3], 'phone-more': [2, 7] },
  toggle: { says: 'aria-pressed', useIsOn: useIsDetailsOpen },
  when: ({ view }) => view === 'listing',
  async run({ folder, chosen }) {
    if (isMedia('docked')) return openDetails(!isOpen.get())
    await askWith(async () => (await import('./DetailsDialog.tsx')).DetailsDialog, { folder, entries: chosen })
  },
}

/** A large preview over the listing. Space selects, and Alt+Space is the key of most desktops for the window. */
export const quickLook: Command = {
  id: 'quick-look',
  label: 'info.quickLook',
  icon: 'eye',
  keys: [{ keys: 'Alt+P' }],
  menus: { entry: [1, 3] },
  when: ({ view, chosen }) => view === 'listing' && chosen.length > 0,
  async run({ chosen, entries, folder }) {
    const among = chosen.length > 1 ? chosen : entries
    const load = async () => (await import('./QuickLookDialog.tsx')).QuickLookDialog
    await askWith(load, { folder, among, first: chosen[0]?.name ?? '' })
  },
}
