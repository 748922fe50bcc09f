import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { usageQuery } from '../api/resources.ts'
import { formatRoughSize } from '../i18n/format.ts'
import { usePlace } from '../place/place.ts'
import { Progress } from '../ui/Progress.tsx'
import styles from './DiskUsage.module.css'

/** How full the disk is that holds the folder in view. Where that cannot be said, nothing is. */
export function DiskUsage() {
  const { t } = useTranslation()
  const { view, folder } = usePlace()
  const { data: usage, isError } = useQuery({ ...usageQuery(folder), enabled: view !== 'none' })
  if (view === 'none' || isError || usage === undefined || usage.total === 0) return null

  const text = t('frame.used', { used: formatRoughSize(usage.used), total: formatRoughSize(usage.total) })
  const percent = (usage.used / usage.total) * 100
  return (
    <div className={styles.usage}>
      <Progress label={t('frame.diskUsage')} value={percent} text={text} isFailed={percent > 95} />
      <bdi>{text}</bdi>
    </div>
  )
}
