import { useSuspenseQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { settingsQuery } from '../../api/settings.ts'
import { userQuery } from '../../api/users.ts'
import { UserForm } from '../../features/users/UserForm.tsx'
import { newUser } from '../../features/users/user-fields.ts'
import { Page } from './Page.tsx'

export const UserPage = ({ id }: { id: number | null }) => (id === null ? <NewUser /> : <KnownUser key={id} id={id} />)

function NewUser() {
  const { t } = useTranslation()
  const { data: settings } = useSuspenseQuery(settingsQuery())
  return (
    <Page title={t('settings.user.new')} tabTitle={t('settings.user.title')}>
      <UserForm user={newUser(settings)} settings={settings} />
    </Page>
  )
}

function KnownUser({ id }: { id: number }) {
  const { t } = useTranslation()
  const { data: settings } = useSuspenseQuery(settingsQuery())
  const { data: user } = useSuspenseQuery(userQuery(id))
  return (
    <Page title={t('settings.user.edit', { username: user.username })} tabTitle={t('settings.user.title')}>
      <UserForm user={user} settings={settings} />
    </Page>
  )
}
