import { useTranslation } from '../../i18n/i18n.ts'
import { useUser } from '../../server/session.ts'
import { startSettings } from '../../server/start-settings.ts'
import { Page } from '../forms/Page.tsx'
import { PasswordForm } from './PasswordForm.tsx'
import { ProfileForm } from './ProfileForm.tsx'
import { SessionList } from './SessionList.tsx'

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
