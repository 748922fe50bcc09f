import { nameOf } from '@filestead/contract'
import { t } from '../../i18n/i18n.ts'
import { changeFavourite } from '../../server/queries/favourites.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { toastSuccess } from '../../ui/toasts.ts'

/** Adds a folder to the favourites, or takes it out, and says so. */
export async function setFavourite(path: string, isAdded: boolean): Promise<void> {
  await changeFavourite(path, isAdded, sessionSignal())
  const name = path === '/' ? t('frame.myFiles') : nameOf(path)
  toastSuccess(t(isAdded ? 'tree.added' : 'tree.removed', { name }))
}
