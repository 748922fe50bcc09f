import { nameOf, parentOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api/client.ts'
import { useWhenReachable } from '../../api/line.ts'
import { type Entry, isFolder, resourceQuery } from '../../api/resources.ts'
import { can } from '../../api/session.ts'
import { FolderHeader } from '../../features/browse/FolderHeader.tsx'
import { FolderView } from '../../features/browse/FolderView.tsx'
import { showShell, useIsShellOpen } from '../../features/shell/open.ts'
import { filesPathOf, folderAddress } from '../../navigation/addresses.ts'
import { navigate, useLocation } from '../../navigation/location.ts'
import { useTitle } from '../../navigation/title.ts'
import { chooseFolderLeft, chooseWhenListed, leavePlace, usePlace } from '../../place/place.ts'
import { useEscape } from '../../prompts/use-escape.ts'
import { Button } from '../../ui/Button.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { ErrorMessage } from '../errors/ErrorMessage.tsx'
import styles from './FilesScreen.module.css'

const Editor = lazy(async () => ({ default: (await import('../../features/edit/Editor.tsx')).Editor }))
const ShellPanel = lazy(async () => ({ default: (await import('../../features/shell/ShellPanel.tsx')).ShellPanel }))
const Preview = lazy(async () => ({ default: (await import('../../features/preview/Preview.tsx')).Preview }))

/** The view of /files/{path}, and the shell below it when it is open. */
export function FilesScreen() {
  const isShellOpen = useIsShellOpen()
  const { folder } = usePlace()
  useEffect(
    () => () => {
      leavePlace()
      showShell(false)
    },
    [],
  )

  return (
    <div className={styles.column}>
      <FilesView />
      {isShellOpen && (
        <Suspense fallback={null}>
          <ShellPanel folder={folder} />
        </Suspense>
      )}
    </div>
  )
}

/** A folder is listed, a text is edited, anything else is previewed. */
function FilesView() {
  const { t } = useTranslation()
  const address = useLocation()
  const path = filesPathOf(address)
  const { data: resource, error, refetch, isFetchedAfterMount } = useQuery(resourceQuery(path))
  useTitle(path === '/' ? t('frame.myFiles') : nameOf(path), t('frame.files'))
  useFolderLeft(path)
  useEscape(() => giveUp(path), resource === undefined && error === null && !address.pathname.endsWith('/'))

  if (error !== null) return <Failed path={path} error={error} onRetry={() => void refetch()} />
  if (resource === undefined || isFolder(resource)) return <FolderView path={path} folder={resource} />
  const wantsText = new URLSearchParams(address.search).get('edit') === 'true'
  // What may not be downloaded may not be read either; the preview says so.
  const isText = isEdited(resource, wantsText) && can('download')
  const waiting = <Opening view={isText ? 'editor' : 'preview'} path={path} />
  // A text must not be edited from memory: it may have been saved, here or elsewhere, since it was read.
  if (isText && !isFetchedAfterMount) return waiting
  return (
    <Suspense fallback={waiting}>
      {isText ? <Editor key={path} file={resource} waiting={waiting} /> : <Preview key={path} file={resource} />}
    </Suspense>
  )
}

/** Who does not want to wait for a file any longer is back in its folder. */
function giveUp(path: string): void {
  chooseWhenListed(parentOf(path), nameOf(path))
  void navigate(folderAddress(parentOf(path)))
}

function Opening({ view, path }: { view: 'editor' | 'preview'; path: string }) {
  useEscape(() => giveUp(path))
  return <Panel view={view} isBusy header={null} />
}

/** Going up chooses what was left, so that one sees where one came from. Before the listing is entered. */
function useFolderLeft(path: string): void {
  const last = useRef(path)
  useLayoutEffect(() => {
    if (last.current !== path && parentOf(last.current) === path) chooseFolderLeft(path, nameOf(last.current))
    last.current = path
  }, [path])
}

/** Tables are shown as tables unless somebody asks for the text. */
function isEdited(file: Entry, wantsText: boolean): boolean {
  const isText = file.type === 'text' || file.type === 'textImmutable'
  return isText && (wantsText || file.extension.toLowerCase() !== '.csv')
}

function Failed({ path, error, onRetry }: { path: string; error: Error; onRetry: () => void }) {
  const { t } = useTranslation()
  const status = error instanceof ApiError ? error.status : 500
  useWhenReachable(status === 0, onRetry)
  // Nothing is shown here that could be acted upon, least of all the folder one came from.
  useEffect(() => leavePlace(), [])
  return (
    <Panel view="error" status={status} header={<FolderHeader path={path} />}>
      <ErrorMessage
        status={status}
        level={1}
        actions={
          <>
            <Button look="primary" icon="retry" onClick={onRetry}>
              {t('buttons.tryAgain')}
            </Button>
            {path !== '/' && (
              <Button look="line" icon="arrow-up" onClick={() => void navigate(folderAddress(parentOf(path)))}>
                {t('errors.goUp')}
              </Button>
            )}
          </>
        }
      />
    </Panel>
  )
}
