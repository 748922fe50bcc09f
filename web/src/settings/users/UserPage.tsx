import { useSuspenseQuery } from '@tanstack/react-query'
import { useTranslation } from '../../i18n/i18n.ts'
import { groupsQuery } from '../../server/queries/groups.ts'
import { settingsQuery } from '../../server/queries/settings.ts'
import { userQuery } from '../../server/queries/users.ts'
import { Page } from '../forms/Page.tsx'
import { HandOver } from './HandOver.tsx'
import { UserForm } from './UserForm.tsx'
import { newUser } from './user-fields.ts'

export const UserPage = ({ id }: { id: number | null }) => (id === null ? <NewUser /> : <KnownUser key={id} id={id} />)

function NewUser() {
  const { t } = useTranslation()
  const { data: settings } = useSuspenseQuery(settingsQuery())
  const { data: groups } = useSuspenseQuery(groupsQuery())
  return (
    <Page title={t('settings.user.new')} tabTitle={t('settings.user.title')}>
      <UserForm user={newUser(settings)} settings={settings} groups={groups} />
    </Page>
  )
}

function KnownUser({ id }: { id: number }) {
  const { t } = useTranslation()
  const { data: settings } = useSuspenseQuery(settingsQuery())
  const { data: groups } = useSuspenseQuery(groupsQuery())
  const { data: user } = useSuspenseQuery(userQuery(id))
  return (
    <Page title={t('settings.user.edit', { username: user.username })} tabTitle={t('settings.user.title')}>
      <HandOver userId={id} />
      <UserForm user={user} settings={settings} groups={groups} />
    </Page>
  )
}
