import type { WebSettings } from '@filestead/contract'
import { type RefObject, useEffect } from 'react'
import { t } from '../../i18n/i18n.ts'
import { ApiError } from '../../server/client.ts'
import { cache } from '../../server/queries/cache.ts'
import { readSettings, saveSettings, settingsQuery } from '../../server/queries/settings.ts'
import { toastSuccess } from '../../ui/toasts.ts'
import { Conflict, merged } from './merge-settings.ts'

/**
 * The server takes the settings as a whole. Each form changes its own part of the present settings, so that two forms, or
 * two administrators, do not take back what the other one saved. `seen` is what the form was filled from: a field that was
 * changed both here and elsewhere since then is a conflict, and nothing is saved.
 */
export async function changeSettings(
  seen: WebSettings,
  change: (current: WebSettings) => Partial<WebSettings>,
): Promise<true> {
  try {
    await tryToChange(seen, change, maxTries)
  } catch (error) {
    throw error instanceof Conflict ? new ApiError(412, '412 Precondition Failed', 'changed-meanwhile') : error
  } finally {
    await readAgain()
  }
  toastSuccess(t('settings.updated'))
  return true
}

/** The settings may be saved elsewhere between reading and writing, more than once. */
const maxTries = 3

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

const readAgain = (): Promise<WebSettings> => cache().fetchQuery({ ...settingsQuery(), staleTime: 0 })

/** Keeps in `seen` what a form was filled from: while it is edited, the settings as they were before. */
export function useSeenSettings(seen: RefObject<WebSettings>, settings: WebSettings, isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) seen.current = settings
  }, [seen, settings, isDirty])
}
