import { useTranslation } from 'react-i18next'
import type { Entry } from '../../api/resources.ts'
import { formatSize } from '../../i18n/format.ts'
import { FileMark } from '../../ui/Icon.tsx'
import { markOf } from '../../ui/mark-of.ts'
import styles from './Subject.module.css'

/** What the links are about. */
export function Subject({ entry }: { entry: Entry }) {
  const { t } = useTranslation()
  return (
    <p className={styles.subject}>
      <FileMark name={markOf(entry)} />
      <span className={styles.text}>
        <bdi className={styles.name}>{entry.name || t('frame.myFiles')}</bdi>
        <span className={styles.note}>
          {entry.isDir ? t('share.folderNote') : t('share.fileNote', { size: formatSize(entry.size) })}
        </span>
      </span>
    </p>
  )
}
