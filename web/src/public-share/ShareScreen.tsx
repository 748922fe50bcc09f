import { nameOf, parentOf } from '@filestead/contract'
import { useState } from 'react'
import { ErrorBoundary } from '../errors/ErrorBoundary.tsx'
import { ErrorMessage } from '../errors/ErrorMessage.tsx'
import { ViewFailure } from '../errors/ViewFailure.tsx'
import { Loading } from '../files/viewers/ViewerParts.tsx'
import { useTranslation } from '../i18n/i18n.ts'
import { shareAddress, sharePathOf } from '../navigation/addresses.ts'
import { navigate, useLocation } from '../navigation/location.ts'
import { useTitle } from '../navigation/title.ts'
import { ApiError } from '../server/client.ts'
import { useWhenReachable } from '../server/connection.ts'
import { instanceName } from '../server/start-settings.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { SharedFolder } from './SharedFolder.tsx'
import { ShareFrame } from './ShareFrame.tsx'
import type { Shared } from './shared.ts'
import { isSharedFolder, useFolderOf, useSharedItem } from './shared-items.ts'

/** With the viewers, in one chunk. */
const SharedFile = lazyPart(async () => (await import('./SharedFile.tsx')).SharedFile)
const FolderFile = lazyPart(async () => (await import('./SharedFile.tsx')).FolderFile)

const PasswordDialog = lazyPart(async () => (await import('./PasswordDialog.tsx')).PasswordDialog)

/** The page of a link: one shared file or folder. */
export function ShareScreen() {
  const { t } = useTranslation()
  const { hash, path } = sharePathOf(useLocation())
  // Kept for the folders below, until the page is left.
  const [password, setPassword] = useState('')
  const address = { hash, path, password }
  const { item, error, request, reload } = useSharedItem(address)
  const isFile = item !== undefined && !isSharedFolder(item)
  const beside = useFolderOf(address, isFile)
  const status = error instanceof ApiError ? error.status : error === null ? 200 : 500
  // A folder is shown below its file if the file was opened from it. Its pictures are not loaded otherwise.
  const [shownFolder, setShownFolder] = useState<string | null>(null)
  if (item !== undefined && !isFile && shownFolder !== path) setShownFolder(path)
  const nameAt = (at: string, own: string | undefined) => (at === '/' ? own || instanceName : nameOf(at))
  const name = item === undefined && path === '/' ? '' : nameAt(path, item?.name)
  useTitle(...(name === '' ? [] : [name]), t('visit.title'))

  useWhenReachable(status === 0, reload)

  if (status === 401) {
    return (
      <ShareFrame>
        <ErrorBoundary fallback={(failure) => <ViewFailure level={1} {...failure} />}>
          <PasswordDialog
            isWrong={password !== ''}
            isBusy={request !== null}
            onSubmit={setPassword}
            waiting={<Loading />}
          />
        </ErrorBoundary>
      </ShareFrame>
    )
  }
  // A connection or a server that is gone for a moment: what is in view stays.
  const isPassing = status === 0 || status === 429 || status >= 500
  if (error !== null && (item === undefined || !isPassing)) {
    return (
      <ShareFrame status={status}>
        {status === 404 ? (
          <Gone hash={hash} path={path} />
        ) : (
          <ErrorMessage
            status={status}
            level={1}
            actions={
              <Button look="primary" icon="retry" onClick={reload}>
                {t('buttons.tryAgain')}
              </Button>
            }
          />
        )}
      </ShareFrame>
    )
  }
  if (item === undefined) return <ShareFrame isBusy />
  const shared: Shared = { hash, path, name, password, token: item.token ?? '' }
  const folder = isSharedFolder(item) ? item : beside.folder
  const folderPath = isFile ? parentOf(path) : path
  const ofFolder = { ...shared, path: folderPath, name: nameAt(folderPath, folder?.name) }
  const isAlone = isFile && path === '/'
  const close = () => void navigate(shareAddress(hash, { path: folderPath, isDir: true }), { replace: true })
  const file = isFile && (
    <ErrorBoundary
      of={path}
      fallback={(failure) => <ViewFailure level={1} {...failure} onClose={isAlone ? undefined : close} />}
    >
      {isAlone ? (
        <SharedFile shared={shared} file={item} waiting={<Loading />} />
      ) : (
        <FolderFile
          shared={shared}
          file={item}
          items={beside.folder?.items}
          isFolderKnown={beside.isKnown}
          waiting={<Loading />}
        />
      )}
    </ErrorBoundary>
  )
  return (
    <ShareFrame cover={isAlone ? undefined : file}>
      {isAlone && file}
      {/* Stays below a file that was opened from it, with what was chosen and how far it was scrolled. */}
      {folder !== undefined && (!isFile || shownFolder === folderPath) && (
        <SharedFolder key={folderPath} shared={ofFolder} folder={folder} open={isFile ? name : null} />
      )}
    </ShareFrame>
  )
}

/** Whether the link has ended or was taken back is not told by the server. Trying again helps in neither case. */
function Gone({ hash, path }: { hash: string; path: string }) {
  const { t } = useTranslation()
  if (path === '/')
    return <EmptyState scene="404" level={1} isAlert title={t('visit.linkGone')} text={t('visit.goneText')} />
  const back = (
    <Button look="primary" onClick={() => void navigate(shareAddress(hash, { path: '/', isDir: true }))}>
      {t('visit.toShared')}
    </Button>
  )
  return <ErrorMessage status={404} level={1} actions={back} />
}
