import { useTranslation } from 'react-i18next'
import { UserTable } from '../../features/users/UserTable.tsx'
import { Link } from '../../navigation/Link.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Page } from './Page.tsx'
import styles from './UsersPage.module.css'

export function UsersPage() {
  const { t } = useTranslation()
  return (
    <Page
      title={t('settings.users.management')}
      tabTitle={t('settings.users.title')}
      isWide
      actions={
        <Link to="/settings/users/new" className={`button ${styles.new}`}>
          <Icon name="plus" />
          {t('settings.users.new')}
        </Link>
      }
    >
      <UserTable />
    </Page>
  )
}
