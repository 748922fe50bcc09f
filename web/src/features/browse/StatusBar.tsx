import { useTranslation } from 'react-i18next'
import { formatSize } from '../../i18n/format.ts'
import { selectMany, usePlace } from '../../place/place.ts'
import { Button } from '../../ui/Button.tsx'
import { useMedia } from '../../ui/media.ts'
import styles from './StatusBar.module.css'

/** What lies below the listing: the count, and while it lasts the mode of choosing several. */
export function StatusBar() {
  const { t } = useTranslation()
  const isNarrow = useMedia('narrow')
  const { entries, selection, chosen, isSelectingMany } = usePlace()
  const count = selection.names.size
  const bytes = chosen.reduce((sum, entry) => sum + (entry.isDir ? 0 : entry.size), 0)

  return (
    <>
      {isSelectingMany && (
        <div className={`active ${styles.strip}`} id="multiple-selection">
          <span role="status">{t('files.multipleEnabled')}</span>
          <Button size="small" onClick={() => selectMany(false)}>
            {t('files.clear')}
          </Button>
        </div>
      )}
      {!isNarrow && (
        <div className={styles.status}>
          <span>{t('files.items', { count: entries.length })}</span>
          {count > 0 && <span>{t('files.selected', { count })}</span>}
          {count > 0 && bytes > 0 && (
            <span>
              <bdi>{formatSize(bytes)}</bdi>
            </span>
          )}
        </div>
      )}
    </>
  )
}
