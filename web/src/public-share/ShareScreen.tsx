import { nameOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ErrorMessage } from '../errors/ErrorMessage.tsx'
import { useTranslation } from '../i18n/i18n.ts'
import { sharePathOf } from '../navigation/addresses.ts'
import { useLocation } from '../navigation/location.ts'
import { useTitle } from '../navigation/title.ts'
import { ApiError } from '../server/client.ts'
import { useWhenReachable } from '../server/connection.ts'
import { isFolder } from '../server/queries/resources.ts'
import { listedFile, publicShareQuery } from '../server/queries/shares.ts'
import { instanceName } from '../server/start-settings.ts'
import { Blank } from '../ui/Blank.tsx'
import { Button } from '../ui/Button.tsx'
import { PasswordPrompt } from './PasswordPrompt.tsx'
import { SharedFile } from './SharedFile.tsx'
import { SharedFolder } from './SharedFolder.tsx'
import { ShareFrame } from './ShareFrame.tsx'

const grantRenewal = 30 * 60_000

/** The page of a link: one shared file or folder. */
export function ShareScreen() {
  const { t } = useTranslation()
  const { hash, path } = sharePathOf(useLocation())
  // Kept for the folders below, until the page is left.
  const [password, setPassword] = useState('')
  const listed = useMemo(() => listedFile(hash, path, password), [hash, path, password])
  const {
    data: item,
    error,
    isPending,
    refetch,
  } = useQuery({
    ...publicShareQuery(hash, path, password),
    ...listed,
    // What the listing tells of a file is enough until the token has to be renewed. A folder is read whenever it is opened.
    staleTime: listed === undefined ? 0 : grantRenewal,
    // A token is valid for an hour, and renewed for as long as the page is open.
    refetchInterval: password === '' ? false : grantRenewal,
    refetchIntervalInBackground: true,
    // A computer that slept has missed a renewal.
    refetchOnWindowFocus: ({ state }) => password !== '' && Date.now() - state.dataUpdatedAt >= grantRenewal,
  })
  const status = error instanceof ApiError ? error.status : error === null ? 200 : 500
  // The root of an account has no name of its own.
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
  // A connection or a server that is gone for a moment: what is in view stays.
  const isPassing = status === 0 || status === 429 || status >= 500
  if (error !== null && (item === undefined || !isPassing)) {
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
  const shared = { hash, path, name, password, token: item.token ?? '' }
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
