import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { sharedNamesQuery } from '../../server/queries/shared-names.ts'
import { can } from '../../server/session.ts'
import type { SharedMark } from '../grid/FileGrid.tsx'

/**
 * Which entries of a folder links of the user lead to. Asked for once the listing is shown, again after links or files
 * have changed, and without a message where no answer comes.
 */
export function useSharedMark(folder: string): SharedMark | null {
  const { t } = useTranslation()
  const isEnabled = can('share') && can('download')
  const { data: names } = useQuery({ ...sharedNamesQuery(folder), enabled: isEnabled, retry: false })
  const label = t('share.mark')

  return useMemo(() => (names === undefined ? null : { names, label }), [names, label])
}
