import { join, type KeptItem, nameOf } from '@filestead/contract'
import { askWith } from '../../dialogs/ask.ts'
import { t } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { type Restorable, restorePast } from '../operations/restore-past.ts'

/** What can be brought back: an item of the trash, or something below one. */
export type Wanted = Omit<Restorable, 'to'>

export const wantedItem = ({ past, path, isDir, size = 0, modified }: KeptItem): Wanted => ({
  past,
  path,
  isDir,
  size,
  modified,
})

export const wantedEntry = ({ path, isDir, size, modified }: Entry, past: string): Wanted => ({
  past,
  path,
  isDir,
  size,
  modified,
})

/** To where they were. */
export const restore = (wanted: readonly Wanted[]): Promise<number | null> =>
  restorePast(wanted.map((item) => ({ ...item, to: item.path })))

/** To a folder that is asked for. */
export async function restoreTo(wanted: readonly Wanted[]): Promise<number | null> {
  const to = await askWith(async () => (await import('../operations/DestinationDialog.tsx')).DestinationDialog, {
    kind: 'copy',
    entries: wanted.map((item) => ({ ...item, name: nameOf(item.path) })),
    folder: '/',
    words: {
      title: t('trash.restoreToTitle'),
      label: t('trash.restore'),
      to: (folder: string) => t('trash.restoreToFolder', { folder }),
    },
  } as const)
  return to === null ? null : restorePast(wanted.map((item) => ({ ...item, to: join(to, nameOf(item.path)) })))
}
