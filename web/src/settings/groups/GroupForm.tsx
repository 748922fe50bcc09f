import type { Group } from '@filestead/contract'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { choicesOfUsers, idOf } from '../../files/rights/choices.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { ApiError } from '../../server/client.ts'
import { grantsQuery } from '../../server/queries/grants.ts'
import { usersQuery } from '../../server/queries/users.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { toastError } from '../../ui/toasts.ts'
import { useBusy, useDraft } from '../forms/draft.ts'
import { Form, SaveBar, Section } from '../forms/Form.tsx'
import { CancelLink } from '../forms/ListPage.tsx'
import { inOrder } from '../forms/merged.ts'
import { ChosenList } from './ChosenList.tsx'
import { deleteGroup, saveGroup } from './change-group.ts'
import { GroupFolders } from './GroupFolders.tsx'
import { fieldsOf } from './group-fields.ts'

/** Name and members of a group, and the folders in which it has rights. */
export function GroupForm({ group }: { group: Group | null }) {
  const { t } = useTranslation()
  const { data: users } = useSuspenseQuery(usersQuery())
  const people = useMemo(() => choicesOfUsers(users), [users])
  const { data: grants } = useQuery({ ...grantsQuery({ subject: `group:${group?.id ?? 0}` }), enabled: group !== null })
  const [wasTried, setWasTried] = useState(false)
  const [refusal, setRefusal] = useState<string>()
  const isLocal = group === null || group.source === 'local'

  const draft = useDraft(
    fieldsOf(group),
    async (fields) => {
      setWasTried(true)
      setRefusal(undefined)
      return fields.name.trim() !== '' && saveGroup(fields, group)
    },
    (error) => {
      const code = error instanceof ApiError ? error.code : null
      if (code === 'already-exists') setRefusal(t('settings.groups.nameTaken'))
      else if (code === 'invalid') setRefusal(describeFailure(error))
      else toastError(describeFailure(error))
    },
  )
  const deletion = useBusy(async () => group && deleteGroup(group, grants?.length ?? 0))
  const { value, change } = draft
  const isNameless = wasTried && value.name.trim() === ''
  const members = new Set(value.members.map((id) => `user:${id}`))

  return (
    <Form
      label={group === null ? t('settings.groups.newTitle') : withoutMarks(t('settings.groups.known', group))}
      onSubmit={draft.save}
    >
      <Section title={t('settings.groups.one')} text={isLocal ? undefined : t('settings.groups.elsewhere')}>
        <TextField
          label={t('settings.groups.name')}
          value={value.name}
          disabled={!isLocal}
          error={isNameless ? t('settings.groups.emptyName') : refusal}
          onChange={({ target }) => {
            setRefusal(undefined)
            change({ name: target.value })
          }}
        />
      </Section>
      <Section title={t('settings.groups.members')} text={t('settings.groups.membersText')}>
        <ChosenList
          label={t('settings.groups.members')}
          addLabel={t('settings.groups.addMember')}
          none={t('settings.groups.noMembers')}
          choices={people}
          chosen={members}
          isFixed={!isLocal}
          onChange={(chosen) => change({ members: inOrder([...chosen].map(idOf)) })}
        />
      </Section>
      {group !== null && <GroupFolders group={group} grants={grants} />}
      {group !== null && isLocal && (
        <Section title={t('settings.groups.delete')} text={t('settings.groups.deleteText')}>
          <div>
            <Button look="line" icon="trash" {...deletion}>
              {t('buttons.delete')}
            </Button>
          </div>
        </Section>
      )}
      {isLocal && <SaveBar draft={draft} label={t('buttons.save')} cancel={<CancelLink to="/settings/groups" />} />}
    </Form>
  )
}
