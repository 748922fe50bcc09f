import type { User, WebSettings } from '@filestead/contract'
import { type MouseEvent, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { Link } from '../../navigation/Link.tsx'
import { goTo } from '../../navigation/location.ts'
import { Button } from '../../ui/Button.tsx'
import { toastError } from '../../ui/toasts.ts'
import { type AccountFailure, explainAccountFailure } from '../forms/account-failure.ts'
import { CommandsField } from '../forms/CommandsField.tsx'
import { useBusy, useDraft } from '../forms/draft.ts'
import { Form, SaveBar, Section } from '../forms/Form.tsx'
import { PermissionsField } from '../forms/PermissionsField.tsx'
import { RulesField } from '../forms/RulesField.tsx'
import { areAllAboutSomething } from '../forms/rule-list.ts'
import { AccountFields } from './AccountFields.tsx'
import { deleteUser, saveUser } from './change-user.ts'
import styles from './UserForm.module.css'
import { checkUser, fieldsOf } from './user-fields.ts'

interface UserFormProps {
  /** With id 0 for a user that does not exist yet. */
  user: User
  settings: WebSettings
}

export function UserForm({ user, settings }: UserFormProps) {
  const { t } = useTranslation()
  const isNew = user.id === 0
  const saved = { ...fieldsOf(user), makesHome: isNew && settings.createUserDir }
  const [wasTried, setWasTried] = useState(false)
  const [refusal, setRefusal] = useState<AccountFailure | null>(null)

  const draft = useDraft(
    saved,
    async (fields) => {
      setWasTried(true)
      setRefusal(null)
      if (Object.keys(checkUser(fields, isNew, settings.minimumPasswordLength)).length > 0) return false
      if (!areAllAboutSomething(fields.rules)) return false
      return saveUser(fields, user)
    },
    (error) => {
      const explained = explainAccountFailure(error)
      if (explained.field === null || explained.field === 'currentPassword') toastError(explained.text)
      else setRefusal(explained)
    },
  )
  const deletion = useBusy(() => deleteUser(user))
  const { value, change } = draft
  const problems = wasTried ? checkUser(value, isNew, settings.minimumPasswordLength) : {}

  return (
    <Form
      label={isNew ? t('settings.user.new') : withoutMarks(t('settings.user.edit', { username: user.username }))}
      onSubmit={() => void draft.save()}
    >
      <AccountFields
        value={value}
        change={(part) => {
          setRefusal(null)
          change(part)
        }}
        isNew={isNew}
        settings={settings}
        problems={problems}
        refusal={refusal}
      />
      <Section title={t('settings.permissions.title')}>
        <PermissionsField
          value={value.perm}
          onChange={(perm) => change(perm.admin ? { perm, lockPassword: false } : { perm })}
        />
        <CommandsField value={value.commands} onChange={(commands) => change({ commands })} />
      </Section>
      <Section title={t('settings.rules.title')} text={t('settings.rules.userText')}>
        <RulesField
          value={value.rules}
          before={settings.rules}
          wasTried={wasTried}
          onChange={(rules) => change({ rules })}
        />
      </Section>
      {!isNew && (
        <Section title={t('settings.user.deleteTitle')} text={t('settings.user.deleteText')}>
          <div>
            <Button look="line" icon="trash" {...deletion}>
              {t('buttons.delete')}
            </Button>
          </div>
        </Section>
      )}
      <SaveBar draft={draft} label={t('buttons.save')} cancel={<CancelLink />} />
    </Form>
  )
}

/** Back to the list, without a question about the changes: cancelling is the answer. */
function CancelLink() {
  const { t } = useTranslation()

  function leave(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    goTo('/settings/users')
  }

  return (
    <Link to="/settings/users" className={`button ${styles.cancel}`} onClick={leave}>
      {t('buttons.cancel')}
    </Link>
  )
}
