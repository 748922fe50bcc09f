import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '../../i18n/i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { mountAt, mountsQuery } from '../../server/queries/mounts.ts'
import { can } from '../../server/session.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import styles from './EmptyTimeline.module.css'

/** What versions are, and that there are none yet; or that none are kept here. */
export function EmptyTimeline({ path, isDir }: { path: string; isDir: boolean }) {
  const { t } = useTranslation()
  const { data: mounts = [] } = useQuery(mountsQuery())
  const mount = mountAt(path, mounts)
  const isOff = mount !== undefined && !(isDir ? mount.hasTrash || mount.hasVersions : mount.hasVersions)
  return (
    <EmptyState
      scene="empty"
      title={isOff ? t('history.offTitle') : t('history.emptyTitle')}
      text={isOff ? t('history.offText') : isDir ? t('history.emptyFolder') : t('history.emptyFile')}
      actions={
        isOff &&
        can('admin') && (
          <Link to={`/settings/mounts/${mount.id}`} className={styles.link}>
            {t('history.toSettings')}
          </Link>
        )
      }
    />
  )
}
