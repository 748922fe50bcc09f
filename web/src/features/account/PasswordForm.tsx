import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cache } from '../../api/cache.ts'
import { sessionsQuery, useUser } from '../../api/session.ts'
import { startSettings } from '../../api/start-settings.ts'
import { updateUser } from '../../api/users.ts'
import { type AccountFailure, explainAccountFailure } from '../../forms/account-failure.ts'
import { Form, Section, SubmitRow } from '../../forms/Form.tsx'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { toastError, toastSuccess } from '../../ui/toasts.ts'
import { checkPasswords, type PasswordProblem } from './passwords.ts'

const nothing = { password: '', confirmation: '', current: '' }

/** A new password for oneself. Where another system knows people, the present one cannot be asked for. */
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
      await cache.invalidateQueries(sessionsQuery())
    } catch (error) {
      const explained = explainAccountFailure(error)
      setRefusal(explained)
      if (explained.field === null) toastError(explained.text)
    } finally {
      setIsSaving(false)
    }
  }

  /** While somebody is still typing only a mismatch is worth a word; what is missing is said when they want to save. */
  const sentence = (problem: PasswordProblem | undefined) =>
    problem !== undefined && (wasTried || problem === 'differs') ? t(`settings.password.${problem}`) : undefined
  const words = { showLabel: t('buttons.showPassword'), capsLockLabel: t('frame.capsLock') }

  return (
    <Form label={t('settings.password.title')} onSubmit={() => void save()}>
      <Section isCard title={t('settings.password.title')} text={t('settings.password.text')}>
        {/* For password managers: they file a password under a name. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
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
      </Section>
      <SubmitRow>
        <Button type="submit" look="line" isBusy={isSaving}>
          {t('buttons.update')}
        </Button>
      </SubmitRow>
    </Form>
  )
}
