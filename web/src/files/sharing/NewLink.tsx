import { copyLink } from '../../commands/copy-link.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { shareUrl } from '../../server/queries/shares.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './NewLink.module.css'

/** A link that was just made and its password, which cannot be read later: to be read, or copied together. */
export function NewLink({ hash, password }: { hash: string; password: string }) {
  const { t } = useTranslation()
  const url = shareUrl(hash)
  const both = `${url}\n${t('share.hasPassword')}: ${password}`
  return (
    <div className={styles.made}>
      <dl className={styles.facts}>
        <dt>
          <Icon name="link" small />
          {t('share.link')}
        </dt>
        <dd dir="ltr">{url}</dd>
        <dt>
          <Icon name="lock" small />
          {t('share.hasPassword')}
        </dt>
        <dd dir="ltr" data-password="">
          {password}
        </dd>
      </dl>
      <div className={styles.foot}>
        <p className={styles.note}>{t('share.passwordOnce')}</p>
        <Button look="line" icon="copy" onClick={() => void copyLink(both, t('share.copiedBoth'))}>
          {t('share.copyBoth')}
        </Button>
      </div>
    </div>
  )
}
