import type { TextKey } from '../i18n/i18n.ts'
import type { Place } from '../place/place.ts'
import type { GlyphName } from '../ui/glyphs.tsx'

/**
 * One thing a person can do with files. Toolbar, selection bar, context menu, shortcut, command palette and help all
 * read this one definition.
 */
export interface FileAction {
  id: string
  label: TextKey
  icon: GlyphName
  /** Such as 'F2', 'Delete' or 'Mod+Shift+F', where Mod is Ctrl, or Command on a Mac. */
  shortcut?: string
  /** A second one, for another habit. */
  otherShortcut?: string
  /** Red, and apart from the others. */
  isDanger?: boolean
  /** For what is switched on and off: the attribute that says so, and a hook that follows it. */
  toggle?: { says: 'aria-pressed' | 'aria-expanded'; useIsOn(): boolean }
  /** Offered at all? Permission and place decide; what is not offered is absent, not disabled. */
  isAvailable(place: Place): boolean
  /** In a menu it stays in its place, greyed, while this holds and it is not available. */
  isShownGreyed?(place: Place): boolean
  run(place: Place): void | Promise<void>
}
