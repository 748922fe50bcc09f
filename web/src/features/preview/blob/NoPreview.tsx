import { useTranslation } from 'react-i18next'
import { formatSize } from '../../../i18n/format.ts'
import { Link } from '../../../navigation/Link.tsx'
import type { FileMarkName } from '../../../ui/file-marks.tsx'
import { FileMark, Icon } from '../../../ui/Icon.tsx'
import styles from './NoPreview.module.css'

export interface NoPreviewProps {
  /** Why, in one sentence. */
  title: string
  name: string
  mark: FileMarkName
  size: number
  /** Null where it may not be had. */
  downloadUrl: string | null
  openUrl: string | null
  /** Where the text of it can be read, if it is one. */
  textAddress?: string | null
}

/** What stands where nothing can be shown, with the ways forward. */
export function NoPreview({ title, name, mark, size, downloadUrl, openUrl, textAddress = null }: NoPreviewProps) {
  const { t } = useTranslation()
  return (
    <div className={`message ${styles.blank}`} role="alert">
      <FileMark name={mark} />
      <p className={styles.name}>
        <bdi>{name}</bdi>
      </p>
      <p className={styles.size}>
        <bdi>{formatSize(size)}</bdi>
      </p>
      <p className={styles.reason}>{title}</p>
      <div className={styles.ways}>
        {downloadUrl !== null && (
          <a className={styles.way} data-look="primary" href={downloadUrl} download={name}>
            <Icon name="download" />
            {t('preview.download')}
          </a>
        )}
        {openUrl !== null && (
          <a className={styles.way} href={openUrl} target="_blank" rel="noopener">
            <Icon name="external" />
            {t('preview.openFile')}
          </a>
        )}
        {textAddress !== null && (
          <Link className={styles.way} to={textAddress}>
            <Icon name="file" />
            {t('preview.openAsText')}
          </Link>
        )}
      </div>
    </div>
  )
}
