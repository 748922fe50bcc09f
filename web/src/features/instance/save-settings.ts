import type { WebSettings } from '@filestead/contract'
import { cache } from '../../api/cache.ts'
import { saveSettings, settingsQuery } from '../../api/settings.ts'
import { t } from '../../i18n/i18n.ts'
import { toastSuccess } from '../../ui/toasts.ts'

/**
 * The server takes the settings as a whole. Each card changes its own part of what is there at this moment, so that
 * two cards, or two administrators, do not take back what the other one saved.
 */
export async function changeSettings(change: (current: WebSettings) => Partial<WebSettings>): Promise<true> {
  const current = await readAgain()
  await saveSettings({ ...current, ...change(current) })
  await readAgain()
  toastSuccess(t('settings.updated'))
  return true
}

const readAgain = (): Promise<WebSettings> => cache.fetchQuery({ ...settingsQuery(), staleTime: 0 })
