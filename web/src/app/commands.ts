import type { Command } from '../commands/command.ts'
import { help, notifications } from '../commands/own-commands.ts'
import { browseCommands } from '../files/browse/commands.ts'
import { details, quickLook } from '../files/details/details.ts'
import { info } from '../files/details/info.ts'
import { whoCanSee } from '../files/details/who-can-see.ts'
import { download } from '../files/download/download.ts'
import { clipCopy, clipCut, paste } from '../files/operations/clip.ts'
import { copy, duplicate, move } from '../files/operations/copy-move.ts'
import { newFile, newFolder } from '../files/operations/create.tsx'
import { remove } from '../files/operations/remove.ts'
import { rename } from '../files/operations/rename.tsx'
import { undo } from '../files/operations/undo.ts'
import { openPalette, searchFiles } from '../files/search/commands.ts'
import { share } from '../files/sharing/share.ts'
import { upload, uploadFolder } from '../files/upload/commands.ts'
import { toggleShell } from '../shell/toggle-shell.ts'

/** Everything that can be done, in the order of the palette. */
export const commands: readonly Command[] = [
  ...browseCommands,
  share,
  rename,
  copy,
  move,
  duplicate,
  remove,
  download,
  info,
  details,
  quickLook,
  whoCanSee,
  clipCopy,
  clipCut,
  paste,
  undo,
  newFolder,
  newFile,
  upload,
  uploadFolder,
  searchFiles,
  openPalette,
  toggleShell,
  notifications,
  help,
]
