import { useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { cache } from '../../server/queries/cache.ts'
import { sessionsQuery } from '../../server/queries/sessions.ts'
import { updateUser } from '../../server/queries/update-user.ts'
import { useUser } from '../../server/session.ts'
import { startSettings } from '../../server/start-settings.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { toastError, toastSuccess } from '../../ui/toasts.ts'
import { type AccountFailure, explainAccountFailure } from '../forms/account-failure.ts'
import { Form, Section, SubmitRow } from '../forms/Form.tsx'
import { checkPasswords, type PasswordProblem } from './passwords.ts'

const nothing = { password: '', confirmation: '', current: '' }

/** A new password for the signed-in user. The present one is asked for where this server checks passwords. */
export function PasswordForm() {
  const { t } = useTranslation()
  const { id, username } = useUser()
  const asksCurrent = startSettings.AuthMethod === 'json'
  const [value, setValue] = useState(nothing)
  const [wasTried, setWasTried] = useState(false)
  const [isSaving, setIsSaving] = useState(false)
  const [refusal, setRefusal] = useState<AccountFailure | null>(null)
  const problems = checkPasswords(value, asksCurrent)
  const areEqual = value.password !== '' && value.password === value.confirmation

  function change(part: Partial<typeof nothing>) {
    setRefusal(null)
    setValue({ ...value, ...part })
  }

  async function save() {
    setWasTried(true)
    if (isSaving || Object.keys(problems).length > 0) return
    setIsSaving(true)
    try {
      await updateUser({ id, password: value.password }, ['password'], value.current)
      setValue(nothing)
      setWasTried(false)
      toastSuccess(t('settings.password.updated'))
      // A new password ends all other sessions.
      await cache().invalidateQueries(sessionsQuery())
    } catch (error) {
      const explained = explainAccountFailure(error)
      setRefusal(explained)
      if (explained.field === null) toastError(explained.text)
    } finally {
      setIsSaving(false)
    }
  }

  /** A mismatch is shown at once; what is missing, after the first attempt to save. */
  const sentence = (problem: PasswordProblem | undefined) =>
    problem !== undefined && (wasTried || problem === 'differs') ? t(`settings.password.${problem}`) : undefined
  const words = { showLabel: t('buttons.showPassword'), capsLockLabel: t('frame.capsLock') }

  return (
    <Form label={t('settings.password.title')} onSubmit={() => void save()}>
      <Section isCard title={t('settings.password.title')} text={t('settings.password.text')}>
        {/* For password managers: they file a password under a name. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        {asksCurrent && (
          <PasswordField
            {...words}
            label={t('settings.password.current')}
            autoComplete="current-password"
            value={value.current}
            error={refusal?.field === 'currentPassword' ? refusal.text : sentence(problems.current)}
            onChange={({ target }) => change({ current: target.value })}
          />
        )}
        <PasswordField
          {...words}
          label={t('settings.password.new')}
          autoComplete="new-password"
          value={value.password}
          isRight={areEqual}
          error={refusal?.field === 'password' ? refusal.text : sentence(problems.password)}
          onChange={({ target }) => change({ password: target.value })}
        />
        <PasswordField
          {...words}
          label={t('settings.password.confirm')}
          autoComplete="new-password"
          value={value.confirmation}
          isRight={areEqual}
          help={areEqual ? t('settings.password.equal') : undefined}
          error={sentence(problems.confirmation)}
          onChange={({ target }) => change({ confirmation: target.value })}
        />
      </Section>
      <SubmitRow>
        <Button type="submit" look="primary" isBusy={isSaving}>
          {t('buttons.update')}
        </Button>
      </SubmitRow>
    </Form>
  )
}
