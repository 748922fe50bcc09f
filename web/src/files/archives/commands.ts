import { archiveFormatOf, parentOf } from '@filestead/contract'
import type { Command } from '../../commands/command.ts'
import { may, mayMakeIn } from '../../server/queries/access.ts'
import type { Entry } from '../../server/queries/resources.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** The one archive that is meant; null where it is none, or may not be read. */
function archiveOf({ view, chosen }: Workspace): Entry | null {
  const [entry, other] = chosen
  if (view === 'none' || entry === undefined || other !== undefined || entry.isDir) return null
  return archiveFormatOf(entry.name) !== undefined && may('copy', chosen) ? entry : null
}

/** May a file be made, in the folder in view, of what the chosen entries hold? */
const mayReadAndMake = ({ view, query, folder, chosen }: Workspace): boolean =>
  view === 'listing' && query === null && chosen.length > 0 && may('copy', chosen) && mayMakeIn(folder)

export const compress: Command = {
  id: 'compress',
  label: 'change.compress',
  icon: 'archive',
  menus: { entry: [2, 8] },
  // An archive alone is extracted: its menu stays short.
  when: (workspace) => mayReadAndMake(workspace) && archiveOf(workspace) === null,
  run: async (workspace) => (await import('./make-file.ts')).compress(workspace),
}

export const extractHere: Command = {
  id: 'extract-here',
  label: 'change.extractHere',
  icon: 'extract',
  menus: { entry: [2, 6] },
  when(workspace) {
    const archive = archiveOf(workspace)
    return archive !== null && mayMakeIn(parentOf(archive.path))
  },
  async run(workspace) {
    const archive = archiveOf(workspace)
    if (archive !== null) await (await import('./extract.ts')).extractHere(archive)
  },
}

export const extractTo: Command = {
  id: 'extract-to',
  label: 'change.extractTo',
  icon: 'extract',
  menus: { entry: [2, 7] },
  when: (workspace) => archiveOf(workspace) !== null,
  async run(workspace) {
    const archive = archiveOf(workspace)
    if (archive !== null) await (await import('./extract.ts')).extractSome({ archive, inside: [], encoding: null })
  },
}

/** Of one file its details tell them at once. */
export const checksums: Command = {
  id: 'checksums',
  label: 'change.checksums',
  icon: 'check',
  menus: { entry: [4, 3] },
  when: (workspace) =>
    mayReadAndMake(workspace) && (workspace.chosen.length > 1 || workspace.chosen[0]?.isDir === true),
  run: async (workspace) => (await import('./make-file.ts')).writeChecksums(workspace),
}
