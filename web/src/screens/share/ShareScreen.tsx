import { nameOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api/client.ts'
import { useWhenReachable } from '../../api/line.ts'
import { isFolder } from '../../api/resources.ts'
import { publicShareQuery } from '../../api/shares.ts'
import { instanceName } from '../../api/start-settings.ts'
import { sharePathOf } from '../../navigation/addresses.ts'
import { useLocation } from '../../navigation/location.ts'
import { useTitle } from '../../navigation/title.ts'
import { Blank } from '../../ui/Blank.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorMessage } from '../errors/ErrorMessage.tsx'
import { PasswordPrompt } from './PasswordPrompt.tsx'
import { SharedFile } from './SharedFile.tsx'
import { SharedFolder } from './SharedFolder.tsx'
import { ShareFrame } from './ShareFrame.tsx'

const grantRenewal = 30 * 60_000

/** What strangers see: one shared file or folder, and nothing of the rest. */
export function ShareScreen() {
  const { t } = useTranslation()
  const { hash, path } = sharePathOf(useLocation())
  // Kept for the folders below, and forgotten with the page.
  const [password, setPassword] = useState('')
  const {
    data: item,
    error,
    isPending,
    refetch,
  } = useQuery({
    ...publicShareQuery(hash, path, password),
    // What the password opened stays open for an hour, and longer for those who are still there.
    refetchInterval: password === '' ? false : grantRenewal,
    refetchIntervalInBackground: true,
    // A computer that slept has missed its turn. Everybody else keeps the addresses of what is in view.
    refetchOnWindowFocus: ({ state }) => password !== '' && Date.now() - state.dataUpdatedAt >= grantRenewal,
  })
  const status = error instanceof ApiError ? error.status : error === null ? 200 : 500
  // Who shares everything shares something without a name.
  const name = path === '/' ? item?.name || (item === undefined ? '' : instanceName) : nameOf(path)
  useTitle(...(name === '' ? [] : [name]), t('visit.title'))

  useWhenReachable(status === 0, () => void refetch())

  if (status === 401) {
    return (
      <ShareFrame>
        <PasswordPrompt isWrong={password !== ''} isBusy={isPending} onSubmit={setPassword} />
      </ShareFrame>
    )
  }
  // A line or a server that is gone for a moment takes away nothing that is in view.
  const isForNow = status === 0 || status === 429 || status >= 500
  if (error !== null && (item === undefined || !isForNow)) {
    const retry = (
      <Button look="primary" icon="retry" onClick={() => void refetch()}>
        {t('buttons.tryAgain')}
      </Button>
    )
    return (
      <ShareFrame status={status}>
        {status === 404 && path === '/' ? (
          <Blank
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
  const shared = { hash, path, name, token: item.token ?? '' }
  return (
    <ShareFrame>
      {isFolder(item) ? (
        <SharedFolder key={path} shared={shared} folder={item} />
      ) : (
        <SharedFile shared={shared} file={item} />
      )}
    </ShareFrame>
  )
}
