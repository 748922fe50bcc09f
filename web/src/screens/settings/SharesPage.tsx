import { useTranslation } from 'react-i18next'
import { ShareTable } from '../../features/share/ShareTable.tsx'
import { Page } from './Page.tsx'

export function SharesPage() {
  const { t } = useTranslation()
  return (
    <Page title={t('settings.shares.title')} isWide>
      <ShareTable />
    </Page>
  )
}
