import type { WebSettings } from '@filestead/contract'
import { cache } from '../../api/cache.ts'
import { ApiError } from '../../api/client.ts'
import { readSettings, saveSettings, settingsQuery } from '../../api/settings.ts'
import { t } from '../../i18n/i18n.ts'
import { toastSuccess } from '../../ui/toasts.ts'
import { Conflict, merged } from './merge-settings.ts'

/**
 * The server takes the settings as a whole. Each card changes its own part of what is there at this moment, so that
 * two cards, or two administrators, do not take back what the other one saved. `seen` is what the card was filled from:
 * a field that somebody else has changed since, and this person too, is not saved.
 */
export async function changeSettings(
  seen: WebSettings,
  change: (current: WebSettings) => Partial<WebSettings>,
): Promise<true> {
  try {
    await tryToChange(seen, change, mostTries)
  } catch (error) {
    throw error instanceof Conflict ? new ApiError(412, '412 Precondition Failed', 'changed-meanwhile') : error
  } finally {
    await readAgain()
  }
  toastSuccess(t('settings.updated'))
  return true
}

/** Somebody else may save between our reading and our writing, time and again. */
const mostTries = 3

async function tryToChange(
  seen: WebSettings,
  change: (current: WebSettings) => Partial<WebSettings>,
  tries: number,
): Promise<void> {
  const { settings: current, version } = await readSettings()
  try {
    await saveSettings(merged(seen, { ...seen, ...change(seen) }, current), version)
  } catch (error) {
    const isTooLate = error instanceof ApiError && error.code === 'changed-meanwhile'
    if (!isTooLate || tries <= 1) throw error
    await tryToChange(seen, change, tries - 1)
  }
}

const readAgain = (): Promise<WebSettings> => cache.fetchQuery({ ...settingsQuery(), staleTime: 0 })
