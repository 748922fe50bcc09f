import { formatExact, formatRelative, formatSize } from '../i18n/format.ts'
import { useTranslation } from '../i18n/i18n.ts'
import { isFolder } from '../server/queries/resources.ts'
import type { SharedItem } from '../server/queries/shares.ts'
import styles from './Facts.module.css'

export function Facts({ name, item, isInline = false }: { name: string; item: SharedItem; isInline?: boolean }) {
  const { t } = useTranslation()
  const modified = new Date(item.modified)
  const size = isFolder(item) ? t('visit.items', { count: item.items.length }) : formatSize(item.size)
  return (
    <dl className={styles.facts} data-inline={isInline}>
      <div>
        <dt>{t('visit.name')}</dt>
        <dd>
          <bdi>{name}</bdi>
        </dd>
      </div>
      <div>
        <dt>{t('visit.size')}</dt>
        <dd>
          <bdi>{size}</bdi>
        </dd>
      </div>
      <div>
        <dt>{t('visit.modified')}</dt>
        <dd>
          <time dateTime={item.modified} title={formatExact(modified)}>
            {formatRelative(modified)}
          </time>
        </dd>
      </div>
    </dl>
  )
}
