import { useQueries } from '@tanstack/react-query'
import { Suspense } from 'react'
import { ErrorBoundary } from '../errors/ErrorBoundary.tsx'
import { ErrorMessage } from '../errors/ErrorMessage.tsx'
import { ViewFailure } from '../errors/ViewFailure.tsx'
import { useTranslation } from '../i18n/i18n.ts'
import { navigate } from '../navigation/location.ts'
import { ApiError } from '../server/client.ts'
import { useWhenReachable } from '../server/connection.ts'
import { Button } from '../ui/Button.tsx'
import { DrawerButton } from '../ui/DrawerButton.tsx'
import { Bar, Panel } from '../ui/Panel.tsx'
import { AccessPage } from './access/AccessPage.tsx'
import { GlobalPage } from './global/GlobalPage.tsx'
import { GroupPage } from './groups/GroupPage.tsx'
import { GroupsPage } from './groups/GroupsPage.tsx'
import { MountPage } from './mounts/MountPage.tsx'
import { MountsPage } from './mounts/MountsPage.tsx'
import { neededBy } from './needed.ts'
import { ProfilePage } from './profile/ProfilePage.tsx'
import { SettingsNavigation } from './SettingsNavigation.tsx'
import styles from './SettingsScreen.module.css'
import { SharesPage } from './shares/SharesPage.tsx'
import { entryOf, type SettingsTab } from './tabs.ts'
import { UserPage } from './users/UserPage.tsx'
import { UsersPage } from './users/UsersPage.tsx'

/** /settings/…: the list of pages on the side, one of them beside it. */
export function SettingsScreen({ tab }: { tab: SettingsTab }) {
  const { t } = useTranslation()
  const queries = useQueries({ queries: neededBy(tab) })
  const isBusy = queries.some(({ isPending }) => isPending)
  const failed = queries.find(({ data, error }) => error !== null && data === undefined)
  const status = failed?.error instanceof ApiError ? failed.error.status : 500
  /** What the page was drawn from may be what it could not be drawn from. */
  const readAgain = () => Promise.all(queries.map(({ refetch }) => refetch()))
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
        <SettingsNavigation current={entryOf(tab)} />
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
          !isBusy && (
            <ErrorBoundary
              of={JSON.stringify(tab)}
              fallback={(failure) => (
                <ViewFailure
                  level={2}
                  {...failure}
                  retry={() => void readAgain().then(failure.retry)}
                  onClose={() => void navigate('/files/')}
                />
              )}
            >
              {/* All that it needs is there, unless it was dropped meanwhile. */}
              <Suspense fallback={null}>
                <Page tab={tab} />
              </Suspense>
            </ErrorBoundary>
          )
        )}
      </div>
    </Panel>
  )
}

const pages = {
  ...{ profile: ProfilePage, shares: SharesPage, global: GlobalPage },
  ...{ users: UsersPage, groups: GroupsPage, mounts: MountsPage, access: AccessPage },
}
const singles = { user: UserPage, group: GroupPage, mount: MountPage }

function Page({ tab }: { tab: SettingsTab }) {
  if ('id' in tab) {
    const Single = singles[tab.name]
    return <Single id={tab.id} />
  }
  const Component = pages[tab.name]
  return <Component />
}
