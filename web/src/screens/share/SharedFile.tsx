import { useTranslation } from 'react-i18next'
import { copyLink } from '../../actions/copy-link.ts'
import type { SharedItem } from '../../api/shares.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Facts } from './Facts.tsx'
import { QrCode } from './QrCode.tsx'
import { ShareCrumbs } from './ShareCrumbs.tsx'
import styles from './SharedFile.module.css'
import { SharedPreview } from './SharedPreview.tsx'
import { absolute, downloadUrl, type Shared } from './shared.ts'

/** One file: seen as far as a browser can show it, downloaded with one press. */
export function SharedFile({ shared, file }: { shared: Shared; file: SharedItem }) {
  const { t } = useTranslation()
  const link = downloadUrl(shared)

  return (
    <div className={styles.page}>
      {shared.path !== '/' && <ShareCrumbs hash={shared.hash} path={shared.path} isDir={false} />}
      <div className={styles.columns}>
        <section aria-label={t('visit.preview')} className={`share__box ${styles.stage}`}>
          <SharedPreview shared={shared} entry={file} />
        </section>
        <div className={`share__box ${styles.side}`}>
          <h1 className={styles.title}>
            <bdi>{shared.name}</bdi>
          </h1>
          <Facts name={shared.name} item={file} />
          <a className={styles.primary} href={link} download="">
            <Icon name="download" />
            {t('visit.download')}
          </a>
          <div className={styles.second}>
            <a className={styles.line} href={downloadUrl(shared, { inline: true })} target="_blank" rel="noopener">
              <Icon name="external" />
              {t('visit.openFile')}
            </a>
            <IconButton icon="link" label={t('visit.copyDownload')} onClick={() => void copyLink(absolute(link))} />
          </div>
          <QrCode value={absolute(link)} size={200} />
        </div>
      </div>
    </div>
  )
}
