import { useEffect, useId, useRef } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { announce } from '../../ui/live-status.ts'
import styles from './HandOver.module.css'
import { copyDetails, forgetDetails, signInAddress, useDetailsOf } from './hand-over.ts'

/** After a password was given: what the user needs to sign in, to be copied and passed on. */
export function HandOver({ userId }: { userId: number }) {
  const { t } = useTranslation()
  const title = useId()
  const card = useRef<HTMLElement>(null)
  const details = useDetailsOf(userId)
  useForgettingOnLeave()

  // The button that saved a new password may be far below.
  useEffect(() => {
    if (details === null) return
    card.current?.scrollIntoView({ block: 'nearest' })
    announce(t('settings.user.handOver', { username: details.username }))
  }, [details, t])

  if (details === null) return null
  return (
    <section ref={card} aria-labelledby={title} className={styles.card}>
      <h3 id={title} className={styles.title}>
        {t('settings.user.handOver', { username: details.username })}
      </h3>
      <p className={styles.text}>{t('settings.user.handOverText')}</p>
      <dl className={styles.details}>
        <dt>{t('settings.user.address')}</dt>
        <dd>{signInAddress()}</dd>
        <dt>{t('settings.username')}</dt>
        <dd>{details.username}</dd>
        <dt>{t('settings.user.password')}</dt>
        <dd>{details.password}</dd>
      </dl>
      <div className={styles.actions}>
        <Button look="primary" icon="copy" onClick={() => void copyDetails(details)}>
          {t('settings.user.copyDetails')}
        </Button>
        <Button onClick={forgetDetails}>{t('buttons.close')}</Button>
      </div>
    </section>
  )
}

/** In development every effect is begun twice: only a page that stays away is left. */
function useForgettingOnLeave(): void {
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    clearTimeout(leaving.current)
    return () => {
      leaving.current = setTimeout(forgetDetails)
    }
  }, [])
}
