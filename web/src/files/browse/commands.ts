import type { Command } from '../../commands/command.ts'
import { t } from '../../i18n/i18n.ts'
import { addressOf } from '../../navigation/addresses.ts'
import { hrefOf, navigate } from '../../navigation/location.ts'
import { savePreferences } from '../../server/queries/preferences.ts'
import { refreshFolders } from '../../server/queries/resources.ts'
import { currentSession } from '../../server/session.ts'
import { announce } from '../../ui/live-status.ts'
import { everything } from '../../workspace/selection.ts'
import { select, selectMany, useWorkspace, workspace } from '../../workspace/workspace.ts'
import { nextViewMode, viewModeOf } from './view-options.ts'

export const browseCommands: readonly Command[] = [
  {
    id: 'open',
    label: 'files.open',
    icon: 'arrow-right',
    keys: [{ keys: 'Enter', context: 'grid' }],
    menus: { entry: [1, 1] },
    when: ({ view, chosen }) => view === 'listing' && chosen.length === 1,
    async run({ chosen: [entry] }) {
      if (entry !== undefined) await navigate(addressOf(entry))
    },
  },
  {
    id: 'open-in-new-tab',
    label: 'files.openInNewTab',
    icon: 'external',
    keys: [{ keys: 'Mod+Enter', context: 'grid' }],
    menus: { entry: [1, 2] },
    when: ({ view, chosen }) => view === 'listing' && chosen.length > 0,
    run({ chosen }) {
      for (const entry of chosen) openInNewTab(entry)
    },
  },
  {
    id: 'select-all',
    label: 'files.selectAll',
    icon: 'select',
    menus: { folder: [2, 2], 'phone-more': [2, 4] },
    keys: [{ keys: 'Mod+A' }],
    when: ({ view, entries }) => view === 'listing' && entries.length > 0,
    isShownGreyed: ({ view }) => view === 'listing',
    run: ({ entries }) => select(everything(entries)),
  },
  {
    id: 'refresh',
    label: 'files.refresh',
    icon: 'retry',
    keys: [{ keys: 'Alt+R' }],
    menus: { folder: [2, 3], 'phone-more': [2, 6] },
    when: ({ view }) => view === 'listing',
    async run({ folder }) {
      await refreshFolders(folder)
      announce(t('files.items', { count: workspace().entries.length }))
    },
  },
  {
    id: 'switch-view',
    label: 'files.switchView',
    icon: 'mosaic',
    menus: { toolbar: [3, 1], 'phone-more': [2, 5] },
    when: ({ view }) => view === 'listing',
    run: () => savePreferences({ viewMode: nextViewMode(viewModeOf(currentSession()?.user.viewMode ?? '')) }),
  },
  {
    id: 'select-multiple',
    label: 'files.selectMultiple',
    icon: 'select',
    menus: { toolbar: [2, 3], 'phone-more': [2, 3] },
    toggle: { says: 'aria-pressed', useIsOn: () => useWorkspace(({ isSelectingMany }) => isSelectingMany) },
    when: ({ view }) => view === 'listing',
    run: ({ isSelectingMany }) => selectMany(!isSelectingMany),
  },
]

export const openInNewTab = (entry: { path: string; isDir: boolean }): void =>
  void window.open(hrefOf(addressOf(entry)), '_blank', 'noopener')
