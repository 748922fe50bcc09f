import type { WebSettings } from '@filestead/contract'
import { useTranslation } from '../../i18n/i18n.ts'
import { PasswordField, Switch, TextField } from '../../ui/Field.tsx'
import type { AccountFailure } from '../forms/account-failure.ts'
import { Pair, Section, Switches } from '../forms/Form.tsx'
import { LanguageField } from '../forms/LanguageField.tsx'
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
  const refusalOf = (field: AccountFailure['field']) => (refusal?.field === field ? refusal.text : undefined)
  const passwordProblem = {
    empty: () => t('settings.password.empty'),
    tooShort: () => t('settings.password.tooShort', { count }),
  }

  return (
    <Section title={t('settings.user.account')}>
      <Pair>
        <TextField
          label={t('settings.username')}
          autoCapitalize="none"
          spellCheck={false}
          value={value.username}
          error={refusalOf('username') ?? (problems.username && t('settings.user.emptyName'))}
          onChange={({ target }) => change({ username: target.value })}
        />
        <PasswordField
          label={t('settings.user.password')}
          showLabel={t('buttons.showPassword')}
          capsLockLabel={t('frame.capsLock')}
          autoComplete="new-password"
          placeholder={isNew ? undefined : t('settings.user.passwordPlaceholder')}
          help={t('settings.user.passwordHelp', { count })}
          value={value.password}
          error={refusalOf('password') ?? (problems.password && passwordProblem[problems.password]())}
          onChange={({ target }) => change({ password: target.value })}
        />
        <TextField
          label={t('settings.scope')}
          isCode
          // The text is kept and comes back when the box is unticked.
          value={value.makesHome ? '' : value.scope}
          placeholder={value.makesHome ? t('settings.user.scopePlaceholder') : undefined}
          disabled={value.makesHome}
          onChange={({ target }) => change({ scope: target.value })}
        />
        <LanguageField value={value.locale} onChange={(locale) => change({ locale })} />
      </Pair>
      <Switches>
        {isNew && settings.createUserDir && (
          <Switch
            label={t('settings.user.makesHome')}
            help={t('settings.user.makesHomeHelp', { base: settings.userHomeBasePath })}
            checked={value.makesHome}
            onChange={({ target }) => change({ makesHome: target.checked })}
          />
        )}
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
