import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { usePlace } from '../../place/place.ts'
import { announce } from '../../ui/live-status.ts'

/** Says to those who cannot see it what the listing shows: that it loads, how much there is, how much is chosen. */
export function useAnnouncements(isLoading: boolean, count: number): void {
  const { t } = useTranslation()
  const chosen = usePlace().selection.names.size
  const text = isLoading
    ? t('frame.loading')
    : chosen > 0
      ? t('files.selected', { count: chosen })
      : t('files.items', { count })
  useEffect(() => announce(text), [text])
  // "Loading" is no longer true where something else is shown instead.
  useEffect(() => () => announce(''), [])
}
