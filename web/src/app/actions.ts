import type { FileAction } from '../actions/action.ts'
import { openPalette, searchFiles } from '../features/search/search.ts'
import { toggleShell } from '../features/shell/toggle-shell.ts'

/** Everything that can be done with files, in the order of menus. */
export const actions: readonly FileAction[] = [searchFiles, openPalette, toggleShell]
