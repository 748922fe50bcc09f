import { useTranslation } from 'react-i18next'
import { instanceName, startSettings } from '../../api/start-settings.ts'
import { SignInForm } from '../../features/session/SignInForm.tsx'
import { useLocation } from '../../navigation/location.ts'
import { useTitle } from '../../navigation/title.ts'
import { Hillside } from './Hillside.tsx'
import styles from './LoginScreen.module.css'

export function LoginScreen() {
  const { t } = useTranslation()
  const query = new URLSearchParams(useLocation().search)
  useTitle(t('login.login'))

  return (
    <main id="login" className={styles.screen} aria-busy="false" data-view="login">
      <Hillside />
      <div className={`card ${styles.card}`}>
        <img className={styles.logo} src={`${startSettings.StaticURL}/img/logo.svg`} alt="" />
        <h1 className={styles.name}>{instanceName}</h1>
        {query.get('logout-reason') === 'inactivity' && (
          <p role="status" className={styles.notice}>
            {t('login.inactivity')}
          </p>
        )}
        <SignInForm startsWithSignup={startSettings.Signup && query.get('mode') === 'signup'} />
      </div>
    </main>
  )
}
