import type { ShareLink } from '@filestead/contract'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { copyLink } from '../../actions/copy-link.ts'
import type { Entry } from '../../api/resources.ts'
import { publicUrl, shareUrl } from '../../api/shares.ts'
import { formatExact, formatRelative } from '../../i18n/format.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './ShareLinks.module.css'
import { Subject } from './Subject.tsx'

interface ShareLinksProps {
  entry: Entry
  links: readonly ShareLink[]
  /** The one that is just being deleted. */
  going: string | null
  onDelete: (hash: string) => void
  /** Stands above the table. */
  children?: ReactNode
}

export function ShareLinks({ entry, links, going, onDelete, children }: ShareLinksProps) {
  const { t } = useTranslation()
  return (
    <>
      <Subject entry={entry} />
      {children}
      <table className={styles.table} aria-label={t('share.links')}>
        <thead className={styles.head}>
          <tr>
            <th scope="col">{t('share.link')}</th>
            <th scope="col">{t('share.duration')}</th>
            <th scope="col">{t('share.actions')}</th>
          </tr>
        </thead>
        <tbody>
          {links.map((link) => (
            <Row
              key={link.hash}
              entry={entry}
              link={link}
              isGoing={link.hash === going}
              onDelete={() => onDelete(link.hash)}
            />
          ))}
        </tbody>
      </table>
    </>
  )
}

interface RowProps {
  entry: Entry
  link: ShareLink
  isGoing: boolean
  onDelete: () => void
}

function Row({ entry, link, isGoing, onDelete }: RowProps) {
  const { t } = useTranslation()
  const { hash, expire, hasPassword } = link
  const end = new Date(expire * 1000)
  const direct = new URL(publicUrl('dl', hash, entry.isDir ? '/' : ''), location.href).href

  return (
    <tr aria-label={hash} className={styles.row}>
      <td>
        <a className={styles.hash} href={shareUrl(hash)} target="_blank" rel="noopener" dir="ltr">
          {hash}
        </a>
        {hasPassword && (
          <span className={styles.badge}>
            <Icon name="lock" small />
            {t('share.hasPassword')}
          </span>
        )}
      </td>
      <td className={styles.time}>
        {expire === 0 ? (
          t('share.permanent')
        ) : (
          <time dateTime={end.toISOString()} title={formatExact(end)}>
            {formatRelative(end)}
          </time>
        )}
      </td>
      <td className={styles.buttons}>
        <IconButton
          icon="link"
          label={t('buttons.copyToClipboard')}
          aria-description={hash}
          onClick={() => void copyLink(shareUrl(hash))}
        />
        <IconButton
          icon="link-down"
          label={t('share.copyDownload')}
          aria-description={hash}
          disabled={hasPassword}
          onClick={() => void copyLink(direct)}
        />
        <IconButton
          icon="trash"
          label={t('buttons.delete')}
          aria-description={hash}
          isBusy={isGoing}
          onClick={onDelete}
        />
      </td>
    </tr>
  )
}
