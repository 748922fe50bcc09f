import type { TextKey } from '../i18n/i18n.ts'
import type { GlyphName } from '../ui/glyphs.tsx'
import type { Workspace } from '../workspace/workspace.ts'

export type CommandId =
  | 'open'
  | 'open-in-new-tab'
  | 'select-all'
  | 'switch-view'
  | 'select-multiple'
  | 'share'
  | 'rename'
  | 'copy'
  | 'move'
  | 'duplicate'
  | 'delete'
  | 'delete-for-good'
  | 'download'
  | 'compress'
  | 'extract-here'
  | 'extract-to'
  | 'checksums'
  | 'info'
  | 'previous-versions'
  | 'show-deleted'
  | 'clip-copy'
  | 'clip-cut'
  | 'paste'
  | 'undo'
  | 'undo-earlier'
  | 'redo'
  | 'redo-earlier'
  | 'recent-changes'
  | 'new-folder'
  | 'new-file'
  | 'upload'
  | 'upload-folder'
  | 'refresh'
  | 'details'
  | 'quick-look'
  | 'who-can-see'
  | 'add-favourite'
  | 'remove-favourite'
  | 'go-to-path'
  | 'search'
  | 'palette'
  | 'toggle-shell'
  | 'help'
  | 'notifications'
  | 'all-jobs'

/** Menus, toolbars and bars that are made from the commands that name them. */
export type MenuName =
  /** The context menus of an entry and of free space. */
  | 'entry'
  | 'folder'
  /** What creates something: in the sidebar, and behind the round button on a phone. */
  | 'new'
  | 'toolbar'
  | 'selection'
  | 'empty-folder'
  | 'editor'
  | 'viewer'
  /** Always visible in a viewer; the others are folded up on a phone. */
  | 'viewer-bar'
  /** On a phone: the bar at the bottom, and the menu "More". */
  | 'phone-bar'
  | 'phone-more'

/** Such as 'F2', 'Delete' or 'Mod+Shift+F', where Mod is Ctrl, or Command on a Mac; see keyboard.ts. */
export interface KeyBinding {
  readonly keys: string
  /** Only while a row of the listing has the focus, and handled there. */
  readonly context?: 'grid'
  /** Waits for the browser's own event of these keys: without it what is on the system's clipboard is not known. */
  readonly event?: 'paste'
}

/**
 * One thing that can be done. Toolbars, menus, keyboard, palette and help are derived from these definitions, which the
 * rooms make and `app/commands.ts` puts together.
 */
export interface Command {
  readonly id: CommandId
  readonly label: TextKey
  /** The words that are seen where the label, which is the accessible name, says less. */
  readonly shown?: TextKey
  readonly icon: GlyphName
  /** Says more than the label, such as what would be undone. For menus and the palette. */
  title?(): string
  /** The first one is shown beside the label. */
  readonly keys?: readonly KeyBinding[]
  /** The section of each menu, and the place in it. */
  readonly menus?: Partial<Readonly<Record<MenuName, readonly [section: number, order: number]>>>
  /** Red, and apart from the others. */
  readonly isDanger?: boolean
  /** For what is switched on and off: the attribute that says so, and a hook that follows it. */
  readonly toggle?: { readonly says: 'aria-pressed' | 'aria-expanded'; useIsOn(): boolean }
  /** Offered at all? Permission and workspace decide; what is not offered is absent, not disabled. */
  when(workspace: Workspace): boolean
  /** In a menu it stays in its place, greyed, while this holds and it is not offered. */
  isShownGreyed?(workspace: Workspace): boolean
  /** Resolves to 'done' where its button shall show a tick. */
  run(workspace: Workspace): void | Promise<void> | Promise<'done' | undefined>
}

/** What the palette offers besides commands: pages of the settings, users, views. Loaded with the palette. */
export interface PaletteEntry {
  readonly id: string
  readonly group: 'places' | 'settings' | 'users' | 'view'
  readonly label: string
  /** The text that the label is made of: its English words are known from manuals. */
  readonly key?: TextKey
  /** Says where it belongs, such as the page of a section. */
  readonly detail?: string
  readonly icon: GlyphName
  /** What can be opened in another tab. */
  readonly address?: string
  /** False where it came to nothing. */
  run(): unknown
}
