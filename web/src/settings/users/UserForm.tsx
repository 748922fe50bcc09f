import type { Group, User, WebSettings } from '@filestead/contract'
import { useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { Button } from '../../ui/Button.tsx'
import { toastError } from '../../ui/toasts.ts'
import { type AccountFailure, explainAccountFailure } from '../forms/account-failure.ts'
import { CommandsField } from '../forms/CommandsField.tsx'
import { useBusy, useDraft } from '../forms/draft.ts'
import { Form, SaveBar, Section } from '../forms/Form.tsx'
import { CancelLink } from '../forms/ListPage.tsx'
import { PermissionsField } from '../forms/PermissionsField.tsx'
import { RulesField } from '../forms/RulesField.tsx'
import { areAllAboutSomething } from '../forms/rule-list.ts'
import { AccountFields } from './AccountFields.tsx'
import { deleteUser, saveUser } from './change-user.ts'
import { GroupsField } from './GroupsField.tsx'
import { checkUser, fieldsOf } from './user-fields.ts'

interface UserFormProps {
  /** With id 0 for a user that does not exist yet. */
  user: User
  settings: WebSettings
  groups: readonly Group[]
}

export function UserForm({ user, settings, groups }: UserFormProps) {
  const { t } = useTranslation()
  const isNew = user.id === 0
  const saved = { ...fieldsOf(user, groups), makesHome: isNew && settings.createUserDir }
  const [wasTried, setWasTried] = useState(false)
  const [refusal, setRefusal] = useState<AccountFailure | null>(null)

  const draft = useDraft(
    saved,
    async (fields) => {
      setWasTried(true)
      setRefusal(null)
      if (Object.keys(checkUser(fields, isNew, settings.minimumPasswordLength)).length > 0) return false
      if (!areAllAboutSomething(fields.rules)) return false
      return saveUser(fields, saved, user)
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
      onSubmit={draft.save}
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
      <Section title={t('settings.groups.title')} text={t('settings.user.groupsText')}>
        <GroupsField value={value.groups} groups={groups} onChange={(next) => change({ groups: next })} />
      </Section>
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
      <SaveBar draft={draft} label={t('buttons.save')} cancel={<CancelLink to="/settings/users" />} />
    </Form>
  )
}
