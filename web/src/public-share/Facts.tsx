import { formatDay, formatRoughSize, formatSize, isKnownTime } from '../i18n/format.ts'
import { useTranslation } from '../i18n/i18n.ts'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import styles from './Facts.module.css'
import { isSharedFolder, type SharedItem } from './shared-items.ts'

/** One line: how much it is, how old, and until when the link leads to it. The terms are heard, not seen. */
export function Facts({ name, item }: { name: string; item: SharedItem }) {
  const { t } = useTranslation()
  const modified = new Date(item.modified)
  const sizes = isSharedFolder(item) ? folderSizes(item.items) : [formatSize(item.size)]
  if (isSharedFolder(item)) sizes.unshift(t('files.items', { count: item.items.length }))
  return (
    <div className={styles.facts}>
      <div className={styles.line}>
        <dl>
          <div>
            <dt className={styles.visuallyHidden}>{t('visit.name')}</dt>
            <dd className={styles.visuallyHidden}>
              <bdi>{name}</bdi>
            </dd>
          </div>
          <div>
            <dt className={styles.visuallyHidden}>{t('files.size')}</dt>
            {sizes.map((size) => (
              <dd key={size} className={styles.fact}>
                <bdi>{size}</bdi>
              </dd>
            ))}
          </div>
          {isKnownTime(modified) && (
            <div>
              <dt className={styles.visuallyHidden}>{t('visit.modified')}</dt>
              <dd className={styles.fact}>
                <RelativeTime at={modified} text={(when) => t('visit.updated', { when })} />
              </dd>
            </div>
          )}
        </dl>
        {item.expire !== undefined && (
          <p className={styles.fact}>{t('visit.until', { when: formatDay(new Date(item.expire * 1000)) })}</p>
        )}
      </div>
    </div>
  )
}

/** The bytes of all files. Not of a folder with folders in it: what these hold is not known. */
function folderSizes(items: readonly { size: number; isDir: boolean }[]): string[] {
  if (items.length === 0 || items.some(({ isDir }) => isDir)) return []
  return [formatRoughSize(items.reduce((sum, { size }) => sum + size, 0))]
}
