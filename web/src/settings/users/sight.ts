import type { Mount } from '@filestead/contract'
import { t } from '../../i18n/i18n.ts'
import { isFirst } from '../mounts/mount-fields.ts'

/** A sentence that says what a user with this home sees. */
export function sightOf(home: string, mounts: readonly Mount[]): string {
  if (home !== '/') return t('settings.user.homeFolder', { path: home })
  if (mounts.length < 2) return t('settings.user.seesEverything')
  return t('settings.user.homeRoot', { name: mounts.find(isFirst)?.name })
}
