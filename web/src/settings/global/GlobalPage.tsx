import { useTranslation } from '../../i18n/i18n.ts'
import { startSettings } from '../../server/start-settings.ts'
import { Page } from '../forms/Page.tsx'
import { CommandRunnerForm } from './CommandRunnerForm.tsx'
import { DefaultsForm } from './DefaultsForm.tsx'
import { GlobalForm } from './GlobalForm.tsx'

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
