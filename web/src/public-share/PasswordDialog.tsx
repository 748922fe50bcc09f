import { type FormEvent, useEffect, useRef } from 'react'
import { useTranslation } from '../i18n/i18n.ts'
import { instanceName } from '../server/start-settings.ts'
import { Button } from '../ui/Button.tsx'
import { FailureNote } from '../ui/FailureNote.tsx'
import { PasswordField } from '../ui/Field.tsx'
import { Icon } from '../ui/Icon.tsx'
import styles from './PasswordDialog.module.css'

interface PasswordDialogProps {
  isWrong: boolean
  isBusy: boolean
  onSubmit: (password: string) => void
}

/** Asks for the password of a link. It cannot be closed: there is nothing behind it to show. */
export function PasswordDialog({ isWrong, isBusy, onSubmit }: PasswordDialogProps) {
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
    <div className={styles.centre}>
      <h1 className={styles.visuallyHidden}>{instanceName}</h1>
      {/* Named by its title and not by a label, so that the label "Password" belongs to the field alone. The empty
          title inside keeps the tooltip from showing. */}
      <div role="dialog" title={t('login.password')} className={`card floating ${styles.card}`}>
        <div title="" className={styles.inside}>
          <span className={styles.lock}>
            <Icon name="lock" />
          </span>
          <h2 className={styles.title}>{t('login.password')}</h2>
          <p className={styles.text}>{t('visit.passwordText')}</p>
          <form className={styles.form} onSubmit={submit}>
            <PasswordField
              ref={field}
              label={t('login.password')}
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
    </div>
  )
}
