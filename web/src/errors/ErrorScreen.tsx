import { useTranslation } from '../i18n/i18n.ts'
import { navigate } from '../navigation/location.ts'
import { useTitle } from '../navigation/title.ts'
import { Button } from '../ui/Button.tsx'
import { DrawerButton } from '../ui/DrawerButton.tsx'
import { Bar, Panel } from '../ui/Panel.tsx'
import { ErrorMessage } from './ErrorMessage.tsx'

/** /403, /404 and /500: the message is the page. */
export function ErrorScreen({ status }: { status: 403 | 404 | 500 }) {
  const { t } = useTranslation()
  useTitle(t(status === 403 ? 'errors.forbidden' : status === 404 ? 'errors.notFound' : 'errors.internal'))

  return (
    <Panel
      view="error"
      status={status}
      header={
        <Bar>
          <DrawerButton label={t('frame.toggleSidebar')} />
        </Bar>
      }
    >
      <ErrorMessage
        status={status}
        level={1}
        actions={
          <Button look="primary" icon="home" onClick={() => void navigate('/files/')}>
            {t('errors.goHome')}
          </Button>
        }
      />
    </Panel>
  )
}
