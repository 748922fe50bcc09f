import type { FileAction } from '../../actions/action.ts'
import { perform } from '../../actions/registry.ts'
import { shownShortcut } from '../../actions/shortcuts.ts'
import { t } from '../../i18n/i18n.ts'
import { currentPlace } from '../../place/place.ts'
import type { MenuItem } from '../../ui/Menu.tsx'

/** Keys that belong to the grid and not to the whole page, and so are not shortcuts of the action. */
const keysOfGrid: Record<string, string> = { open: 'Enter', 'open-in-new-tab': 'Mod+Enter' }

export const menuItems = (actions: readonly FileAction[]): MenuItem[] =>
  actions.map((action) => {
    const shortcut = action.shortcut ?? keysOfGrid[action.id]
    return {
      id: action.id,
      label: t(action.label),
      icon: action.icon,
      shortcut: shortcut === undefined ? undefined : shownShortcut(shortcut),
      isDanger: action.isDanger,
      isDisabled: !action.isAvailable(currentPlace()),
      onSelect: () => void perform(action),
    }
  })
