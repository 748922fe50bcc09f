import { useTranslation } from 'react-i18next'
import { startSettings } from '../../api/start-settings.ts'
import { CommandRunnerForm } from '../../features/instance/CommandRunnerForm.tsx'
import { DefaultsForm } from '../../features/instance/DefaultsForm.tsx'
import { GlobalForm } from '../../features/instance/GlobalForm.tsx'
import { Page } from './Page.tsx'

export function GlobalPage() {
  const { t } = useTranslation()
  return (
    <Page title={t('settings.global.title')}>
      <GlobalForm />
      <DefaultsForm />
      {startSettings.EnableExec && <CommandRunnerForm />}
    </Page>
  )
}
