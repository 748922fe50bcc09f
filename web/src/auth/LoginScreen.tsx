import { useTranslation } from '../i18n/i18n.ts'
import { useLocation } from '../navigation/location.ts'
import { useTitle } from '../navigation/title.ts'
import { instanceName, startSettings } from '../server/start-settings.ts'
import { LoginDrawing } from './LoginDrawing.tsx'
import styles from './LoginScreen.module.css'
import { SignInForm } from './SignInForm.tsx'

/** `onFilling` is called with everything that is typed into the form. */
export function LoginScreen({ onFilling }: { onFilling: () => void }) {
  const { t } = useTranslation()
  const query = new URLSearchParams(useLocation().search)
  useTitle(t('login.login'))

  return (
    <main id="login" className={styles.screen} aria-busy="false" data-view="login">
      <LoginDrawing />
      <div className={`card ${styles.card}`}>
        <img className={styles.logo} src={`${startSettings.StaticURL}/img/logo.svg`} alt="" />
        <h1 className={styles.name}>{instanceName}</h1>
        {query.get('logout-reason') === 'inactivity' && (
          <p role="status" className={styles.notice}>
            {t('login.inactivity')}
          </p>
        )}
        <SignInForm onFilling={onFilling} startsWithSignup={startSettings.Signup && query.get('mode') === 'signup'} />
      </div>
    </main>
  )
}
