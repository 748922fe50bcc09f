import { formatSize } from '../i18n/format.ts'
import { useTranslation } from '../i18n/i18n.ts'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import styles from './SharedItemDetails.module.css'
import { isSharedFolder, type SharedItem } from './shared-items.ts'

interface SharedItemDetailsProps {
  name: string
  item: SharedItem
  isInline?: boolean
}

export function SharedItemDetails({ name, item, isInline = false }: SharedItemDetailsProps) {
  const { t } = useTranslation()
  const size = isSharedFolder(item) ? t('visit.items', { count: item.items.length }) : formatSize(item.size)
  return (
    <dl className={styles.details} data-inline={isInline}>
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
          <RelativeTime at={new Date(item.modified)} />
        </dd>
      </div>
    </dl>
  )
}
