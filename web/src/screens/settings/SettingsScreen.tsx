import { useQueries } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api/client.ts'
import { useWhenReachable } from '../../api/line.ts'
import { Button } from '../../ui/Button.tsx'
import { DrawerButton } from '../../ui/DrawerButton.tsx'
import { Bar, Panel } from '../../ui/Panel.tsx'
import { ErrorMessage } from '../errors/ErrorMessage.tsx'
import { GlobalPage } from './GlobalPage.tsx'
import { neededBy } from './needed.ts'
import { ProfilePage } from './ProfilePage.tsx'
import { SettingsNavigation } from './SettingsNavigation.tsx'
import styles from './SettingsScreen.module.css'
import { SharesPage } from './SharesPage.tsx'
import type { SettingsTab } from './tabs.ts'
import { UserPage } from './UserPage.tsx'
import { UsersPage } from './UsersPage.tsx'

/** /settings/…: where one can go on the side, one page beside it. */
export function SettingsScreen({ tab }: { tab: SettingsTab }) {
  const { t } = useTranslation()
  const queries = useQueries({ queries: neededBy(tab) })
  const isBusy = queries.some(({ isPending }) => isPending)
  const failed = queries.find(({ data, error }) => error !== null && data === undefined)
  const status = failed?.error instanceof ApiError ? failed.error.status : 500
  useWhenReachable(failed !== undefined && status === 0, () => void failed?.refetch())

  return (
    <Panel
      view="settings"
      isBusy={isBusy}
      header={
        <Bar>
          <DrawerButton label={t('frame.toggleSidebar')} />
          <h1 className={styles.heading}>{t('frame.settings')}</h1>
        </Bar>
      }
    >
      <div className={`dashboard ${styles.screen}`}>
        <SettingsNavigation current={tab.name === 'user' ? 'users' : tab.name} />
        {failed?.error != null ? (
          <ErrorMessage
            status={status}
            level={2}
            actions={
              <Button look="primary" icon="retry" onClick={() => void failed.refetch()}>
                {t('buttons.tryAgain')}
              </Button>
            }
          />
        ) : (
          !isBusy && <Page tab={tab} />
        )}
      </div>
    </Panel>
  )
}

function Page({ tab }: { tab: SettingsTab }) {
  switch (tab.name) {
    case 'profile':
      return <ProfilePage />
    case 'shares':
      return <SharesPage />
    case 'global':
      return <GlobalPage />
    case 'users':
      return <UsersPage />
    case 'user':
      return <UserPage id={tab.id} />
  }
}
