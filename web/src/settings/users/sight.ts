import type { Mount } from '@filestead/contract'
import { t } from '../../i18n/i18n.ts'

/** A sentence that says what a user with this home sees. */
export function sightOf(home: string, mounts: readonly Mount[]): string {
  if (home !== '/') return t('settings.user.homeFolder', { path: home })
  return mounts.length > 1 ? t('settings.user.homeRoot', { name: mounts[0]?.name }) : t('settings.user.seesEverything')
}
