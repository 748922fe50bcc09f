import { useQuery } from '@tanstack/react-query'
import { copyLink } from '../../commands/copy-link.ts'
import { runById } from '../../commands/registry.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { sharesOfQuery, shareUrl } from '../../server/queries/shares.ts'
import { can } from '../../server/session.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import styles from './Links.module.css'

/** The end of the time that a Date can tell, in seconds. */
const lastDay = 8.64e12

/** The public links of an entry, each with a button that copies it. `canShare` where the entry is the selected one. */
export function Links({ path, canShare }: { path: string; canShare: boolean }) {
  const { t } = useTranslation()
  const mayShare = can('share') && can('download')
  const { data: links = [] } = useQuery({ ...sharesOfQuery(path), enabled: mayShare, staleTime: 10_000 })
  if (!mayShare || (links.length === 0 && !canShare)) return null
  return (
    <section aria-label={t('share.links')} className={styles.links}>
      <header>
        <h3>{t('share.links')}</h3>
        {canShare && (
          <Button size="small" icon="share" onClick={() => runById('share')}>
            {t('share.share')}
          </Button>
        )}
      </header>
      {links.length > 0 && (
        <ul>
          {links.map(({ hash, expire }) => (
            <li key={hash}>
              <span>
                <a href={shareUrl(hash)} target="_blank" rel="noopener" dir="ltr">
                  {shareUrl(hash).replace(/^https?:\/\//, '')}
                </a>
                {expire === 0 ? t('share.permanent') : <RelativeTime at={new Date(Math.min(expire, lastDay) * 1000)} />}
              </span>
              <IconButton
                small
                icon="copy"
                label={t('buttons.copyToClipboard')}
                aria-description={hash}
                onClick={() => void copyLink(shareUrl(hash))}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
