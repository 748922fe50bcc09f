import type { Usage } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { formatRoughSize } from '../i18n/format.ts'
import { useTranslation } from '../i18n/i18n.ts'
import { Link } from '../navigation/Link.tsx'
import { useLocation } from '../navigation/location.ts'
import { usageQuery } from '../server/queries/resources.ts'
import { Progress } from '../ui/Progress.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import styles from './DiskUsage.module.css'

const nothing: Usage = { used: 0, total: 0 }
/** Its room is kept until the server has told: the buttons above must not move away from a pointer. */
const unknown: Usage = { used: 0, total: 1 }

/** How full the disk is that holds the folder in view. Nothing where the server does not tell. */
export function DiskUsage() {
  const { t } = useTranslation()
  const view = useWorkspace((workspace) => workspace.view)
  const folder = useWorkspace((workspace) => workspace.folder)
  const isOfFiles = useLocation().pathname.startsWith('/files')
  // What is known is shown, also while it is asked for again, here or of another folder, or when that has failed.
  const query = useQuery({ ...usageQuery(folder), enabled: view !== 'none', placeholderData: (known) => known })
  const usage = query.data ?? (query.isError ? nothing : unknown)
  if (!isOfFiles || usage.total === 0) return null

  const text = t('frame.used', { used: formatRoughSize(usage.used), total: formatRoughSize(usage.total) })
  const percent = (usage.used / usage.total) * 100
  return (
    <div className={styles.usage} data-unknown={usage === unknown}>
      <Progress label={t('frame.diskUsage')} value={percent} text={text} isFailed={percent > 95} />
      <bdi>{text}</bdi>
      {usage.kept !== undefined && usage.kept > 0 && (
        <Link to="/trash">{t('tree.kept', { size: formatRoughSize(usage.kept) })}</Link>
      )}
    </div>
  )
}
