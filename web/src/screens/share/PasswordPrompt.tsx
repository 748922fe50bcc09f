import { type FormEvent, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/Button.tsx'
import { FailureNote } from '../../ui/FailureNote.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './PasswordPrompt.module.css'

interface PasswordPromptProps {
  isWrong: boolean
  isBusy: boolean
  onSubmit: (password: string) => void
}

/** The closed door of a protected link. There is nothing behind it to close back to, so it has no way out but in. */
export function PasswordPrompt({ isWrong, isBusy, onSubmit }: PasswordPromptProps) {
  const { t } = useTranslation()
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    field.current?.focus()
    if (isWrong) field.current?.select()
  }, [isWrong])

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const password = String(new FormData(event.currentTarget).get('password'))
    if (password !== '') onSubmit(password)
  }

  return (
    <div className={styles.place}>
      <div role="dialog" aria-labelledby="share-password-title" className={`card floating ${styles.card}`}>
        <span className={styles.lock}>
          <Icon name="lock" />
        </span>
        <h1 id="share-password-title" className={styles.title}>
          {t('visit.passwordTitle')}
        </h1>
        <p className={styles.text}>{t('visit.passwordText')}</p>
        <form className={styles.form} onSubmit={submit}>
          <PasswordField
            ref={field}
            label={t('visit.passwordTitle')}
            showLabel={t('buttons.showPassword')}
            capsLockLabel={t('frame.capsLock')}
            name="password"
            autoComplete="off"
            required
          />
          {isWrong && !isBusy && <FailureNote>{t('login.wrongCredentials')}</FailureNote>}
          <Button type="submit" look="primary" size="big" isBusy={isBusy}>
            {t('visit.submit')}
          </Button>
        </form>
      </div>
    </div>
  )
}
