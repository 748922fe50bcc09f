import { useTranslation } from 'react-i18next'
import { useUser } from '../../api/session.ts'
import { startSettings } from '../../api/start-settings.ts'
import { PasswordForm } from '../../features/account/PasswordForm.tsx'
import { ProfileForm } from '../../features/account/ProfileForm.tsx'
import { SessionList } from '../../features/account/SessionList.tsx'
import { Page } from './Page.tsx'

export function ProfilePage() {
  const { t } = useTranslation()
  const { lockPassword } = useUser()
  return (
    <Page title={t('settings.profile.title')}>
      <ProfileForm />
      {!startSettings.NoAuth && !lockPassword && <PasswordForm />}
      {!startSettings.NoAuth && <SessionList />}
    </Page>
  )
}
