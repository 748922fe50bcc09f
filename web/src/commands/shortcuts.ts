import type { TextKey } from '../i18n/i18n.ts'
import type { CommandId } from './command.ts'
import { allCommands } from './registry.ts'

/** What keys do, for the help. */
export interface Shortcut {
  readonly label: TextKey
  /** Written as in `KeyBinding`, or with a name of `keyWords`. */
  readonly bindings: readonly string[]
}

interface ShortcutGroup {
  readonly title: TextKey
  readonly shortcuts: readonly Shortcut[]
}

type GroupName = 'general' | 'moving' | 'selecting' | 'changing'

/** Keys and clicks that have names instead of signs. */
export const keyWords: Record<string, { text: TextKey; sign?: string }> = {
  arrows: { text: 'help.arrows' },
  space: { text: 'help.space' },
  letters: { text: 'help.letters' },
  click: { text: 'help.click' },
  doubleClick: { text: 'help.doubleClick' },
  menuKey: { text: 'help.menu', sign: 'Menu' },
  ArrowUp: { text: 'help.arrows', sign: '↑' },
  ArrowDown: { text: 'help.arrows', sign: '↓' },
  ArrowLeft: { text: 'help.arrows', sign: '←' },
  ArrowRight: { text: 'help.arrows', sign: '→' },
  PageUp: { text: 'preview.previousPage', sign: 'PgUp' },
  PageDown: { text: 'preview.nextPage', sign: 'PgDn' },
}

/** Commands that are not listed here belong to files and folders where an entry has them in its menu, else to all pages. */
const groupOfCommand: Partial<Record<CommandId, GroupName>> = {
  'select-all': 'selecting',
  details: 'changing',
  paste: 'changing',
  undo: 'changing',
  redo: 'changing',
  'delete-for-good': 'changing',
}

/** Keys that no command has: the grid, the palette, the viewers and the editor handle them. */
const own: Record<GroupName, readonly Shortcut[]> = {
  general: [],
  moving: [
    { label: 'help.open', bindings: ['Enter', 'doubleClick'] },
    { label: 'files.openInNewTab', bindings: ['Mod+Enter'] },
    { label: 'files.up', bindings: ['Backspace', 'Alt+ArrowUp'] },
    { label: 'help.moveFocus', bindings: ['arrows'] },
    { label: 'help.firstLast', bindings: ['Home', 'End'] },
    { label: 'help.typeAhead', bindings: ['letters'] },
    { label: 'help.menu', bindings: ['menuKey', 'Shift+F10'] },
  ],
  selecting: [
    { label: 'help.select', bindings: ['click'] },
    { label: 'help.addToSelection', bindings: ['Mod+click'] },
    { label: 'help.selectRange', bindings: ['Shift+click'] },
    { label: 'help.toggle', bindings: ['space'] },
    { label: 'help.extend', bindings: ['Shift+arrows'] },
    { label: 'help.moveOnly', bindings: ['Mod+arrows'] },
    { label: 'help.clearSelection', bindings: ['Esc'] },
  ],
  changing: [],
}

const others: readonly ShortcutGroup[] = [
  {
    title: 'search.search',
    shortcuts: [
      { label: 'help.markLine', bindings: ['ArrowUp', 'ArrowDown'] },
      { label: 'help.runMarked', bindings: ['Enter'] },
      { label: 'files.openInNewTab', bindings: ['Mod+Enter'] },
      { label: 'search.showInFolder', bindings: ['Shift+Enter'] },
    ],
  },
  {
    title: 'help.viewers',
    shortcuts: [
      { label: 'preview.previous', bindings: ['ArrowLeft'] },
      { label: 'preview.next', bindings: ['ArrowRight', 'Enter'] },
      { label: 'help.toggle', bindings: ['X'] },
      { label: 'preview.zoomIn', bindings: ['+'] },
      { label: 'preview.zoomOut', bindings: ['-'] },
      { label: 'preview.resetZoom', bindings: ['0'] },
      { label: 'preview.actualSize', bindings: ['1'] },
      { label: 'preview.rotate', bindings: ['R'] },
      { label: 'preview.play', bindings: ['space', 'K'] },
      { label: 'preview.seek', bindings: ['ArrowLeft', 'ArrowRight'] },
      { label: 'preview.volume', bindings: ['ArrowUp', 'ArrowDown'] },
      { label: 'preview.mute', bindings: ['M'] },
      { label: 'preview.subtitles', bindings: ['C'] },
      { label: 'preview.fullScreen', bindings: ['F'] },
      { label: 'preview.previousPage', bindings: ['PageUp'] },
      { label: 'preview.nextPage', bindings: ['PageDown', 'space'] },
      { label: 'buttons.close', bindings: ['Esc'] },
    ],
  },
  {
    title: 'editor.editor',
    shortcuts: [
      { label: 'editor.save', bindings: ['Mod+S'] },
      { label: 'editor.find', bindings: ['Mod+F'] },
      { label: 'editor.goToLine', bindings: ['Alt+G'] },
      { label: 'help.tabMoves', bindings: ['Ctrl+M'] },
      { label: 'buttons.close', bindings: ['Esc'] },
    ],
  },
]

/** Every key of the product. Those of commands come from their definitions. */
export function shortcutGroups(): ShortcutGroup[] {
  const ofCommands = Map.groupBy(boundCommands(), ({ group }) => group)
  const groups = (['general', 'moving', 'selecting', 'changing'] as const).map((name) => ({
    title: `help.${name}` as const,
    shortcuts: [...(ofCommands.get(name) ?? []), ...own[name]],
  }))
  return [...groups, ...others]
}

const boundCommands = (): (Shortcut & { group: GroupName })[] =>
  allCommands().flatMap(({ id, label, menus, keys = [] }, index, all) => {
    // Two commands of one name do the same, in different places.
    if (all.findIndex((other) => other.label === label) < index) return []
    const bindings = keys.filter(({ context }) => context === undefined).map(({ keys }) => keys)
    const group = groupOfCommand[id] ?? (menus?.entry === undefined ? 'general' : 'changing')
    return bindings.length === 0 ? [] : { label, bindings, group }
  })
