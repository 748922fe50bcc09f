import type { ShareLink } from '@filestead/contract'
import type { ReactNode } from 'react'
import { copyLink } from '../../commands/copy-link.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { publicUrl } from '../../server/paths.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { shareUrl } from '../../server/queries/shares.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { EntrySummary } from './EntrySummary.tsx'
import { Expiry } from './Expiry.tsx'
import styles from './ShareLinks.module.css'

interface ShareLinksProps {
  entry: Entry
  links: readonly ShareLink[]
  /** The hash of the link that is being deleted. */
  deleting: string | null
  onDelete: (hash: string) => void
  /** Stands above the table. */
  children?: ReactNode
}

export function ShareLinks({ entry, links, deleting, onDelete, children }: ShareLinksProps) {
  const { t } = useTranslation()
  return (
    <>
      <EntrySummary entry={entry} />
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
              isDeleting={link.hash === deleting}
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
  isDeleting: boolean
  onDelete: () => void
}

function Row({ entry, link, isDeleting, onDelete }: RowProps) {
  const { t } = useTranslation()
  const { hash, expire, hasPassword } = link
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
        <Expiry expire={expire} />
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
          isBusy={isDeleting}
          onClick={onDelete}
        />
      </td>
    </tr>
  )
}
