import { join, nameOf, parentOf } from '@filestead/contract'
import { ask, askWith } from '../../dialogs/ask.ts'
import { Confirmation } from '../../dialogs/Confirmation.tsx'
import { t } from '../../i18n/i18n.ts'
import { cache } from '../../server/queries/cache.ts'
import { mountAt, mountsQuery } from '../../server/queries/mounts.ts'
import type { Moment } from '../../server/queries/timeline.ts'
import { splitName } from '../formats/names.ts'
import { loadNameDialog } from '../operations/load-name-dialog.ts'
import { type Restorable, restorePast } from '../operations/restore-past.ts'
import { stampOf } from './times.ts'

/** Puts an older state in the place of the present one. Asks only where that one would be lost by it. */
export async function restoreMoment(path: string, moment: Moment, moments: readonly Moment[]): Promise<boolean> {
  const name = nameOf(path)
  const isThere = moments.some(({ kind }) => kind === 'now')
  if (isThere && !(await isKept(path))) {
    const isMeant = await ask(Confirmation, {
      title: t('history.restoreTitle'),
      text: t('history.restoreLoses', { name }),
      cancel: t('buttons.cancel'),
      confirm: t('history.restore'),
    })
    if (isMeant === null) return false
  }
  return (await restorePast([restorableOf(path, moment, path)], { replaces: true })) === 1
}

/** Beside the present one, under another name. */
export async function saveMomentAs(path: string, moment: Moment): Promise<boolean> {
  const folder = parentOf(path)
  const [stem, extension] = splitName(nameOf(path))
  const suggested = `${stem} (${stampOf(moment.at)})${extension}`
  const name = await askWith(loadNameDialog, {
    title: t('history.saveAsTitle'),
    label: t('change.name'),
    submitLabel: t('history.saveCopy'),
    folder,
    suggested,
    selected: suggested.length - extension.length,
    help: (typed) => t('history.savedIn', { path: join(folder, typed || '…') }),
  })
  if (name === null) return false
  return (await restorePast([restorableOf(path, moment, join(folder, name))])) === 1
}

const restorableOf = (path: string, { past = '', isDir, size = 0, modified }: Moment, to: string): Restorable => ({
  ...{ past, path, to, isDir, size, modified },
})

async function isKept(path: string): Promise<boolean> {
  const mounts = await cache().fetchQuery({ ...mountsQuery(), staleTime: 60_000 })
  return mountAt(path, mounts)?.hasVersions === true
}
