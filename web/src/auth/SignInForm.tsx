import { type FormEvent, useEffect, useRef, useState } from 'react'
import { t, useTranslation } from '../i18n/i18n.ts'
import { navigate } from '../navigation/location.ts'
import { ApiError } from '../server/client.ts'
import { enterAsGuest, signIn, signUp } from '../server/session.ts'
import { startSettings } from '../server/start-settings.ts'
import { explainAccountFailure } from '../settings/forms/account-failure.ts'
import { Button } from '../ui/Button.tsx'
import { FailureNote } from '../ui/FailureNote.tsx'
import { PasswordField, TextField } from '../ui/Field.tsx'
import { BotCheck, botAnswer, resetBotCheck } from './BotCheck.tsx'
import styles from './SignInForm.module.css'

type Attempt = { status: 'none' } | { status: 'running' } | { status: 'failed'; reason: string }

interface SignInFormProps {
  startsWithSignup: boolean
  onFilling: () => void
}

/** Signing in, and signing up where that is switched on. With success the session begins, and the screen gives way. */
export function SignInForm({ startsWithSignup, onFilling }: SignInFormProps) {
  const { t } = useTranslation()
  const [isNew, setIsNew] = useState(startsWithSignup)
  const [attempt, setAttempt] = useState<Attempt>({ status: 'none' })
  const password = useRef<HTMLInputElement>(null)
  const mode = isNew ? t('login.signup') : t('login.login')

  useEffect(() => {
    if (attempt.status === 'failed') password.current?.select()
  }, [attempt])

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (attempt.status === 'running') return
    const form = new FormData(event.currentTarget)
    const credentials = { username: String(form.get('username')), password: String(form.get('password')) }
    if (isNew && credentials.password !== form.get('confirmation')) {
      return setAttempt({ status: 'failed', reason: t('login.passwordsDontMatch') })
    }
    const recaptcha = botAnswer()
    if (startSettings.ReCaptcha && recaptcha === '') {
      return setAttempt({ status: 'failed', reason: t('login.wrongCredentials') })
    }
    setAttempt({ status: 'running' })
    try {
      if (isNew) await signUp(credentials)
      // The account is there now, whatever becomes of signing in.
      setIsNew(false)
      await signIn({ ...credentials, recaptcha })
    } catch (error) {
      setAttempt({ status: 'failed', reason: explain(error) })
      // An answer is taken once.
      resetBotCheck()
    }
  }

  return (
    <form aria-label={mode} className={styles.form} onInput={onFilling} onSubmit={submit}>
      <p className={styles.welcome}>{isNew ? t('login.welcomeNew') : t('login.welcome')}</p>
      <TextField
        label={t('login.username')}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        required
      />
      <PasswordField
        ref={password}
        label={t('login.password')}
        showLabel={t('buttons.showPassword')}
        capsLockLabel={t('frame.capsLock')}
        name="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        required
      />
      {isNew && (
        <PasswordField
          label={t('login.passwordConfirmation')}
          showLabel={t('buttons.showPassword')}
          capsLockLabel={t('frame.capsLock')}
          name="confirmation"
          autoComplete="new-password"
          required
        />
      )}
      {startSettings.ReCaptcha && <BotCheck />}
      <div className={styles.note}>{attempt.status === 'failed' && <FailureNote>{attempt.reason}</FailureNote>}</div>
      <Button type="submit" look="primary" size="big" isBusy={attempt.status === 'running'}>
        {mode}
      </Button>
      {startSettings.Signup && (
        <Button
          look="link"
          onClick={() => {
            setIsNew(!isNew)
            setAttempt({ status: 'none' })
          }}
        >
          {isNew ? t('login.haveAccount') : t('login.createAccount')}
        </Button>
      )}
      {startSettings.Guests && (
        <Button look="link" onClick={() => enterAsGuest() && void navigate('/files/')}>
          {t('login.asGuest')}
        </Button>
      )}
    </form>
  )
}

function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return t('login.failed')
  switch (error.status) {
    case 0:
      return t('login.noConnection')
    case 400:
      return explainAccountFailure(error).text
    case 403:
      return t('login.wrongCredentials')
    case 409:
      return t('login.usernameTaken')
    case 429:
      return t('login.tooManyTries')
    default:
      return t('login.failed')
  }
}
