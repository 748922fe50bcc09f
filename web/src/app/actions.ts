import type { FileAction } from '../actions/action.ts'

/** Everything that can be done with files, in the order of menus. */
export const actions: readonly FileAction[] = []
