import type { FileAction } from '../actions/action.ts'
import { browseActions } from '../features/browse/actions.ts'
import { clipCopy, clipCut, paste } from '../features/change/clip.ts'
import { newFile, newFolder } from '../features/change/create.tsx'
import { remove } from '../features/change/remove.ts'
import { rename } from '../features/change/rename.tsx'
import { copy, move } from '../features/change/transfer.ts'
import { download } from '../features/download/download.ts'
import { help } from '../features/inform/help.ts'
import { info } from '../features/inform/info.ts'
import { openPalette, searchFiles } from '../features/search/search.ts'
import { share } from '../features/share/share.ts'
import { toggleShell } from '../features/shell/toggle-shell.ts'
import { uploadAction } from '../features/upload/upload-action.ts'

/** Everything that can be done with files, in the order of menus. */
export const actions: readonly FileAction[] = [
  ...browseActions,
  share,
  rename,
  copy,
  move,
  remove,
  download,
  info,
  clipCopy,
  clipCut,
  paste,
  newFolder,
  newFile,
  uploadAction,
  searchFiles,
  openPalette,
  toggleShell,
  help,
]
