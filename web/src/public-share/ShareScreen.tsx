import { nameOf } from '@filestead/contract'
import { useState } from 'react'
import { ErrorMessage } from '../errors/ErrorMessage.tsx'
import { useTranslation } from '../i18n/i18n.ts'
import { sharePathOf } from '../navigation/addresses.ts'
import { useLocation } from '../navigation/location.ts'
import { useTitle } from '../navigation/title.ts'
import { ApiError } from '../server/client.ts'
import { useWhenReachable } from '../server/connection.ts'
import { instanceName } from '../server/start-settings.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { PasswordDialog } from './PasswordDialog.tsx'
import { SharedFile } from './SharedFile.tsx'
import { SharedFolder } from './SharedFolder.tsx'
import { ShareFrame } from './ShareFrame.tsx'
import { isSharedFolder, useSharedItem } from './shared-items.ts'

/** The page of a link: one shared file or folder. */
export function ShareScreen() {
  const { t } = useTranslation()
  const { hash, path } = sharePathOf(useLocation())
  // Kept for the folders below, until the page is left.
  const [password, setPassword] = useState('')
  const { item, error, request, reload } = useSharedItem({ hash, path, password })
  const status = error instanceof ApiError ? error.status : error === null ? 200 : 500
  // The root of an account has no name of its own.
  const name = path === '/' ? item?.name || (item === undefined ? '' : instanceName) : nameOf(path)
  useTitle(...(name === '' ? [] : [name]), t('visit.title'))

  useWhenReachable(status === 0, reload)

  if (status === 401) {
    return (
      <ShareFrame>
        <PasswordDialog isWrong={password !== ''} isBusy={request !== null} onSubmit={setPassword} />
      </ShareFrame>
    )
  }
  // A connection or a server that is gone for a moment: what is in view stays.
  const isPassing = status === 0 || status === 429 || status >= 500
  if (error !== null && (item === undefined || !isPassing)) {
    const retry = (
      <Button look="primary" icon="retry" onClick={reload}>
        {t('buttons.tryAgain')}
      </Button>
    )
    return (
      <ShareFrame status={status}>
        {status === 404 && path === '/' ? (
          <EmptyState
            scene="404"
            level={1}
            isAlert
            title={t('errors.notFound')}
            text={t('visit.goneText')}
            actions={retry}
          />
        ) : (
          <ErrorMessage status={status} level={1} actions={retry} />
        )}
      </ShareFrame>
    )
  }
  if (item === undefined) return <ShareFrame isBusy />
  const shared = { hash, path, name, password, token: item.token ?? '' }
  return (
    <ShareFrame>
      {isSharedFolder(item) ? (
        <SharedFolder key={path} shared={shared} folder={item} />
      ) : (
        <SharedFile shared={shared} file={item} />
      )}
    </ShareFrame>
  )
}
