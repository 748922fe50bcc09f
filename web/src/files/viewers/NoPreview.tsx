import { formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import type { Entry } from '../../server/queries/resources.ts'
import type { FileMarkName } from '../../ui/file-marks.tsx'
import { FileMark, Icon } from '../../ui/Icon.tsx'
import styles from './NoPreview.module.css'

export interface NoPreviewProps {
  /** Why, in one sentence; empty where it goes without saying. */
  title: string
  file: Pick<Entry, 'name' | 'size'>
  mark: FileMarkName
  /** Each is null where it may not be had; all of them where the page around has name, size and links already. */
  links: { download: string | null; open: string | null; text: string | null } | null
  /** The kind of file has no preview at all, and nothing failed. */
  isExpected: boolean
}

/** Stands in for a file that cannot be shown, with the ways to get it. */
export function NoPreview({ title, file, mark, links, isExpected }: NoPreviewProps) {
  const { t } = useTranslation()
  if (links === null)
    return (
      <div className={`message ${styles.message}`} role={isExpected ? undefined : 'alert'}>
        <FileMark name={mark} />
        {title !== '' && <p className={styles.reason}>{title}</p>}
      </div>
    )
  return (
    <div className={`message ${styles.message}`} role="alert">
      <FileMark name={mark} />
      <p className={styles.name}>
        <bdi>{file.name}</bdi>
      </p>
      <p className={styles.size}>
        <bdi>{formatSize(file.size)}</bdi>
      </p>
      <p className={styles.reason}>{title}</p>
      <div className={styles.links}>
        {links.download !== null && (
          <a className={styles.link} data-look="primary" href={links.download} download={file.name}>
            <Icon name="download" />
            {t('preview.download')}
          </a>
        )}
        {links.open !== null && (
          <a className={styles.link} href={links.open} target="_blank" rel="noopener">
            <Icon name="external" />
            {t('preview.openFile')}
          </a>
        )}
        {links.text !== null && (
          <Link className={styles.link} to={links.text}>
            <Icon name="file" />
            {t('preview.openAsText')}
          </Link>
        )}
      </div>
    </div>
  )
}
