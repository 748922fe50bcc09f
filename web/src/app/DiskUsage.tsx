import { useQuery } from '@tanstack/react-query'
import { formatRoughSize } from '../i18n/format.ts'
import { useTranslation } from '../i18n/i18n.ts'
import { Link } from '../navigation/Link.tsx'
import { usageQuery } from '../server/queries/resources.ts'
import { Progress } from '../ui/Progress.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import styles from './DiskUsage.module.css'

/** How full the disk is that holds the folder in view. Nothing where the server does not tell. */
export function DiskUsage() {
  const { t } = useTranslation()
  const view = useWorkspace((workspace) => workspace.view)
  const folder = useWorkspace((workspace) => workspace.folder)
  // What is known is shown, also while it is asked for again, or when that has failed.
  const { data: usage } = useQuery({ ...usageQuery(folder), enabled: view !== 'none' })
  if (view === 'none' || usage === undefined || usage.total === 0) return null

  const text = t('frame.used', { used: formatRoughSize(usage.used), total: formatRoughSize(usage.total) })
  const percent = (usage.used / usage.total) * 100
  return (
    <div className={styles.usage}>
      <Progress label={t('frame.diskUsage')} value={percent} text={text} isFailed={percent > 95} />
      <bdi>{text}</bdi>
      {usage.kept !== undefined && usage.kept > 0 && (
        <Link to="/trash">{t('tree.kept', { size: formatRoughSize(usage.kept) })}</Link>
      )}
    </div>
  )
}
