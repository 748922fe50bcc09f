import type { ShareLink } from '@filestead/contract'
import { useEffect, useRef } from 'react'
import { copyLink } from '../../commands/copy-link.ts'
import { formatDay, formatExact } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { publicUrl } from '../../server/paths.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { shareUrl } from '../../server/queries/shares.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { NamedText } from '../../ui/NamedText.tsx'
import { canSendLinks, sendLink } from '../../ui/send-link.ts'
import { Expiry } from './Expiry.tsx'
import styles from './ShareLinks.module.css'

interface ShareLinksProps {
  entry: Entry
  links: readonly ShareLink[]
  /** Those of the links made while the dialog is open, by hash. */
  passwords: ReadonlyMap<string, string>
  /** The hash of the link that was copied when it was made. */
  copied: string | null
  /** The hash of the link that is being deleted. */
  deleting: string | null
  onDelete: (hash: string) => void
}

export function ShareLinks({ entry, links, passwords, copied, deleting, onDelete }: ShareLinksProps) {
  const { t } = useTranslation()
  return (
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
            password={passwords.get(link.hash)}
            isCopied={link.hash === copied}
            isDeleting={link.hash === deleting}
            onDelete={() => onDelete(link.hash)}
          />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps {
  entry: Entry
  link: ShareLink
  password: string | undefined
  isCopied: boolean
  isDeleting: boolean
  onDelete: () => void
}

function Row({ entry, link, password, isCopied, isDeleting, onDelete }: RowProps) {
  const { t } = useTranslation()
  const { hash, expire, hasPassword } = link
  const url = shareUrl(hash)
  const row = useRef<HTMLTableRowElement>(null)
  // The place of a new link is not always in view: they are in the order of their ends.
  useEffect(() => {
    if (password !== undefined) row.current?.scrollIntoView({ block: 'nearest' })
  }, [password])
  const direct = new URL(publicUrl('dl', hash, entry.isDir ? '/' : ''), location.href).href

  return (
    <tr ref={row} aria-label={hash} className={styles.row} data-new={password !== undefined}>
      <td className={styles.link}>
        <Title link={link} />
        <a className={styles.url} href={url} target="_blank" rel="noopener" dir="ltr">
          {url}
        </a>
        {password !== undefined && (
          <>
            <span className={styles.password} dir="ltr">
              {password}
            </span>
            {isCopied && (
              <span className={styles.copied}>
                <Icon name="check" small />
                {t('share.copiedBoth')}
              </span>
            )}
            <span className={styles.note}>{t('share.passwordOnce')}</span>
          </>
        )}
      </td>
      <td className={styles.time}>
        <Expiry expire={expire} />
        {hasPassword && (
          <span className={styles.badge}>
            <Icon name="lock" small />
            {t('share.hasPassword')}
          </span>
        )}
      </td>
      <td className={styles.buttons}>
        <span>
          {password === undefined ? (
            <Button look="line" icon="copy" aria-description={hash} onClick={() => void copyLink(url)}>
              <NamedText name={t('buttons.copyToClipboard')} shown={t('share.copyLink')} />
            </Button>
          ) : (
            <>
              <Button
                look="primary"
                icon="copy"
                onClick={() =>
                  void copyLink(withPassword(url, password, t('share.hasPassword')), t('share.copiedBoth'))
                }
              >
                {t('share.copyBoth')}
              </Button>
              <IconButton
                icon="link"
                label={t('buttons.copyToClipboard')}
                aria-description={hash}
                onClick={() => void copyLink(url)}
              />
            </>
          )}
          {canSendLinks() && (
            <IconButton
              icon="share"
              label={t('visit.send')}
              aria-description={hash}
              onClick={() => sendLink(entry.name, url)}
            />
          )}
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
        </span>
      </td>
    </tr>
  )
}

/** Tells a link from others: its label, and the day it was made. */
function Title({ link: { label, created } }: { link: ShareLink }) {
  const { t } = useTranslation()
  const made = created === undefined ? undefined : new Date(created * 1000)
  return (
    <span className={styles.title}>
      {label !== undefined && <bdi className={styles.label}>{label}</bdi>}
      {made !== undefined && (
        <time dateTime={made.toISOString()} title={formatExact(made)}>
          {t('share.made', { when: formatDay(made) })}
        </time>
      )}
    </span>
  )
}

/** Both in one text to be sent, a line for each. */
export const withPassword = (url: string, password: string, term: string): string => `${url}\n${term}: ${password}`
