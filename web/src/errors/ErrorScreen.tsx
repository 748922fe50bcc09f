import { useState } from 'react'
import { useTranslation } from '../i18n/i18n.ts'
import { Link } from '../navigation/Link.tsx'
import { navigate, wantedAddress } from '../navigation/location.ts'
import { useTitle } from '../navigation/title.ts'
import { Button } from '../ui/Button.tsx'
import { DrawerButton } from '../ui/DrawerButton.tsx'
import { Bar, Panel } from '../ui/Panel.tsx'
import { ErrorMessage } from './ErrorMessage.tsx'
import styles from './ErrorScreen.module.css'

/** /403, /404 and /500: the message is the page. A link leads to what was asked for, once it may be seen. */
export function ErrorScreen({ status }: { status: 403 | 404 | 500 }) {
  const { t } = useTranslation()
  const [wanted] = useState(wantedAddress)
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
          <>
            {wanted !== undefined && (
              <Link to={wanted} className={styles.wanted}>
                <bdi dir="ltr">{wanted}</bdi>
              </Link>
            )}
            <Button look="primary" icon="home" onClick={() => void navigate('/files/')}>
              {t('errors.goHome')}
            </Button>
          </>
        }
      />
    </Panel>
  )
}
