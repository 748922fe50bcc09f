import type { ReactNode } from 'react'
import { useTranslation } from '../i18n/i18n.ts'
import { Link } from '../navigation/Link.tsx'
import { useSession } from '../server/session.ts'
import { instanceName, offersLogin, offersSignup, startSettings } from '../server/start-settings.ts'
import { SkipLink } from '../ui/SkipLink.tsx'
import styles from './ShareFrame.module.css'

interface ShareFrameProps {
  isBusy?: boolean
  /** Of a page that could not be shown. */
  status?: number
  /** Lies over the whole page. What is below stays as it is, and cannot be reached. */
  cover?: ReactNode
  children?: ReactNode
}

/** The page around what is shared: the instance's logo, and links to sign in. */
export function ShareFrame({ isBusy = false, status, cover, children }: ShareFrameProps) {
  const { t } = useTranslation()
  const isSignedIn = useSession() !== null

  return (
    <div className={styles.page} data-covered={Boolean(cover)}>
      <SkipLink label={t('frame.skip')} />
      <header className={styles.header}>
        <img className={styles.logo} src={`${startSettings.StaticURL}/img/logo.svg`} alt="" />
        <bdi className={styles.name}>{instanceName}</bdi>
        <nav aria-label={t('frame.main')} className={styles.links}>
          {isSignedIn && (
            <Link to="/files/" className={styles.link}>
              {t('frame.myFiles')}
            </Link>
          )}
          {!isSignedIn && offersLogin && (
            <Link to="/login" className={styles.link}>
              {t('frame.login')}
            </Link>
          )}
          {!isSignedIn && offersSignup && (
            <Link to="/login?mode=signup" className={styles.link}>
              {t('frame.signup')}
            </Link>
          )}
        </nav>
      </header>
      <main
        id="content"
        tabIndex={-1}
        className={styles.main}
        aria-busy={isBusy}
        data-view={status === undefined ? 'share' : 'error'}
        data-status={status}
      >
        <div className={styles.content}>{children}</div>
        {cover && <div className={styles.cover}>{cover}</div>}
      </main>
    </div>
  )
}
