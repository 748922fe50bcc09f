import { formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { FileMark } from '../../ui/Icon.tsx'
import { markOf } from '../marks/mark-of.ts'
import styles from './EntrySummary.module.css'

/** The entry that the links lead to. */
export function EntrySummary({ entry }: { entry: Entry }) {
  const { t } = useTranslation()
  return (
    <p className={styles.entry}>
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
