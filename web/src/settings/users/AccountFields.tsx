import type { WebSettings } from '@filestead/contract'
import { useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField, TextField } from '../../ui/Field.tsx'
import { generatePassword } from '../../ui/generated-password.ts'
import { Switch } from '../../ui/Tick.tsx'
import type { AccountFailure } from '../forms/account-failure.ts'
import { Pair, Section, Switches } from '../forms/Form.tsx'
import { LanguageField } from '../forms/LanguageField.tsx'
import { ScopeField } from './ScopeField.tsx'
import styles from './UserForm.module.css'
import type { UserFields, UserProblems } from './user-fields.ts'

interface AccountFieldsProps {
  value: UserFields
  change: (part: Partial<UserFields>) => void
  isNew: boolean
  settings: WebSettings
  problems: UserProblems
  /** What the server said against it. */
  refusal: AccountFailure | null
}

/** Name, password, folder and language of a user. */
export function AccountFields({ value, change, isNew, settings, problems, refusal }: AccountFieldsProps) {
  const { t } = useTranslation()
  const count = settings.minimumPasswordLength
  const [isShown, setIsShown] = useState(false)
  const refusalOf = (field: AccountFailure['field']) => (refusal?.field === field ? refusal.text : undefined)
  const passwordProblem = {
    empty: () => t('settings.password.empty'),
    tooShort: () => t('settings.password.tooShort', { count }),
  }

  /** A generated password is shown: it has to be passed on. */
  function generate() {
    change({ password: generatePassword(count) })
    setIsShown(true)
  }

  return (
    <Section title={t('settings.user.account')}>
      <Pair>
        <TextField
          label={t('settings.username')}
          autoFocus={isNew}
          autoCapitalize="none"
          spellCheck={false}
          value={value.username}
          error={refusalOf('username') ?? (problems.username && t('settings.user.emptyName'))}
          onChange={({ target }) => change({ username: target.value })}
        />
        <div className={styles.password}>
          <PasswordField
            label={t('settings.user.password')}
            showLabel={t('buttons.showPassword')}
            capsLockLabel={t('frame.capsLock')}
            autoComplete="new-password"
            placeholder={isNew ? undefined : t('settings.user.passwordPlaceholder')}
            help={t('settings.user.passwordHelp', { count })}
            value={value.password}
            error={refusalOf('password') ?? (problems.password && passwordProblem[problems.password]())}
            isShown={isShown}
            onShow={setIsShown}
            onChange={({ target }) => change({ password: target.value })}
          />
          <Button look="link" icon="bolt" onClick={generate}>
            {t('share.generate')}
          </Button>
        </div>
        <LanguageField value={value.locale} onChange={(locale) => change({ locale })} />
      </Pair>
      <ScopeField value={value} change={change} isNew={isNew} settings={settings} />
      <Switches>
        <Switch
          label={t('settings.user.lockPassword')}
          help={value.perm.admin ? t('settings.user.lockPasswordAdmin') : undefined}
          checked={value.lockPassword && !value.perm.admin}
          disabled={value.perm.admin}
          onChange={({ target }) => change({ lockPassword: target.checked })}
        />
      </Switches>
    </Section>
  )
}
