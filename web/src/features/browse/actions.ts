import type { FileAction } from '../../actions/action.ts'
import { currentSession } from '../../api/session.ts'
import { savePreferences } from '../../api/users.ts'
import { addressOf } from '../../navigation/addresses.ts'
import { hrefOf, navigate } from '../../navigation/location.ts'
import { select, selectMany, usePlace } from '../../place/place.ts'
import { everything } from '../../place/selection.ts'
import { nextViewMode, viewModeOf } from './view-mode.ts'

export const browseActions: readonly FileAction[] = [
  {
    id: 'open',
    label: 'files.open',
    icon: 'arrow-right',
    isAvailable: ({ view, chosen }) => view === 'listing' && chosen.length === 1,
    async run({ chosen: [entry] }) {
      if (entry !== undefined) await navigate(addressOf(entry))
    },
  },
  {
    id: 'open-in-new-tab',
    label: 'files.openInNewTab',
    icon: 'external',
    isAvailable: ({ view, chosen }) => view === 'listing' && chosen.length > 0,
    run({ chosen }) {
      for (const entry of chosen) openInNewTab(entry)
    },
  },
  {
    id: 'select-all',
    label: 'files.selectAll',
    icon: 'select',
    shortcut: 'Mod+A',
    isAvailable: ({ view, entries }) => view === 'listing' && entries.length > 0,
    isShownGreyed: ({ view }) => view === 'listing',
    run: ({ entries }) => select(everything(entries)),
  },
  {
    id: 'switch-view',
    label: 'files.switchView',
    icon: 'mosaic',
    isAvailable: ({ view }) => view === 'listing',
    run: () => savePreferences({ viewMode: nextViewMode(viewModeOf(currentSession()?.user.viewMode ?? '')) }),
  },
  {
    id: 'select-multiple',
    label: 'files.selectMultiple',
    icon: 'select',
    toggle: { says: 'aria-pressed', useIsOn: () => usePlace().isSelectingMany },
    isAvailable: ({ view }) => view === 'listing',
    run: ({ isSelectingMany }) => selectMany(!isSelectingMany),
  },
]

export const openInNewTab = (entry: { path: string; isDir: boolean }): void =>
  void window.open(hrefOf(addressOf(entry)), '_blank', 'noopener')
