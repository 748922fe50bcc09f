import { nameOf, parentOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useMemo, useState } from 'react'
import { useKeys } from '../commands/keyboard.ts'
import { ErrorBoundary, type Failure } from '../errors/ErrorBoundary.tsx'
import { ErrorMessage } from '../errors/ErrorMessage.tsx'
import { ViewFailure } from '../errors/ViewFailure.tsx'
import { needTexts, useTranslation } from '../i18n/i18n.ts'
import { filesPathOf, folderAddress, loginAddress } from '../navigation/addresses.ts'
import { goTo, isRevisiting, navigate, useLocation } from '../navigation/location.ts'
import { closeAddress, pastOf } from '../navigation/past-address.ts'
import { queryOf } from '../navigation/results-address.ts'
import { returnTo } from '../navigation/return-to.ts'
import { useTitle } from '../navigation/title.ts'
import { useWhenReachable } from '../server/connection.ts'
import { may } from '../server/queries/access.ts'
import { cache } from '../server/queries/cache.ts'
import { type Entry, isFolder, resourceKey, resourceQuery } from '../server/queries/resources.ts'
import { isGuest, useUser } from '../server/session.ts'
import { startSettings } from '../server/start-settings.ts'
import { showShell, useIsShellOpen } from '../shell/toggle-shell.ts'
import { useScope } from '../state/session-scope.ts'
import { Button } from '../ui/Button.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Panel } from '../ui/Panel.tsx'
import { forgetStaleTexts, useKeptTexts } from '../workspace/unsaved-text.ts'
import { leaveFiles, revealFolderLeft, revealWhenListed, useWorkspace } from '../workspace/workspace.ts'
import { Late, Outdated, statusOf } from './AnswerNotes.tsx'
import { Breadcrumbs } from './browse/Breadcrumbs.tsx'
import { FolderHeader } from './browse/FolderHeader.tsx'
import { FolderView } from './browse/FolderView.tsx'
import styles from './FilesScreen.module.css'
import { isReadForStart, startIsShown } from './first-listing.ts'
import { isText, previewKind } from './formats/kinds.ts'

const TextFileLoader = lazyPart(async () => {
  const [{ TextFileLoader }] = await Promise.all([import('./editor/TextFileLoader.tsx'), needTexts('editor')])
  return TextFileLoader
})
const UnsavedTexts = lazyPart(async () => {
  const [{ UnsavedTexts }] = await Promise.all([import('./editor/UnsavedTexts.tsx'), needTexts('editor')])
  return UnsavedTexts
})
const ShellPanel = lazyPart(async () => (await import('../shell/ShellPanel.tsx')).ShellPanel)
const ResultsView = lazyPart(async () => {
  const [{ ResultsView }] = await Promise.all([import('./results/ResultsView.tsx'), needTexts('palette')])
  return ResultsView
})
const PastFile = lazyPart(async () => {
  const [{ PastFile }] = await Promise.all([import('./history/PastFile.tsx'), needTexts('history')])
  return PastFile
})
const Preview = lazyPart(async () => (await import('./viewers/Preview.tsx')).Preview)

/** The view of /files/{path}, and the shell below it when it is open. */
export function FilesScreen() {
  const isShellOpen = useIsShellOpen()
  const folder = useWorkspace((workspace) => workspace.folder)
  const address = useLocation()
  const path = filesPathOf(address)
  const query = queryOf(address)
  const past = pastOf(address)
  const close = past === null ? () => closeFile(path) : () => void returnTo(closeAddress(path, past))
  // Here, not in what is shown, which may be on its way still.
  useKeys({ Escape: close }, { level: 'frame', isOn: past !== null })
  useEffect(
    () => () => {
      leaveFiles()
      showShell(false)
    },
    [],
  )

  return (
    <div className={styles.column} data-column="files">
      <UnsavedTextsAbove />
      <ErrorBoundary of={path} fallback={(failure) => <FailedView path={path} close={close} {...failure} />}>
        {past !== null ? (
          <PastFile
            key={`${path} ${past.past}`}
            path={path}
            shown={past}
            waiting={<Panel view="preview" isBusy header={null} />}
          />
        ) : query === null ? (
          <FilesView />
        ) : (
          <ResultsView
            key={`${path} ${query}`}
            path={path}
            query={query}
            waiting={<Panel view="listing" isBusy header={<FolderHeader path={path} />} />}
          />
        )}
      </ErrorBoundary>
      {isShellOpen && (
        <ErrorBoundary fallback={(failure) => <ViewFailure level={2} {...failure} onClose={() => showShell(false)} />}>
          <ShellPanel folder={folder} />
        </ErrorBoundary>
      )}
    </div>
  )
}

function UnsavedTextsAbove() {
  const userId = useUser().id
  const isListing = useWorkspace(({ view }) => view === 'listing')
  const texts = useKeptTexts(userId)
  useEffect(() => {
    if (!isGuest()) forgetStaleTexts(userId)
  }, [userId])
  if (!isListing || texts.length === 0) return null
  return <UnsavedTexts texts={texts} />
}

/** A folder is listed, a text is edited, anything else is previewed. */
function FilesView() {
  const { t } = useTranslation()
  const address = useLocation()
  const path = filesPathOf(address)
  const wantsText = new URLSearchParams(address.search).get('edit') === 'true'
  const isFileAddress = !address.pathname.endsWith('/')
  const listed = useListedFile(path, isFileAddress)
  // What the listing tells is enough for every viewer. The editor needs the text and its version.
  const needsResource = listed === undefined || isEdited(listed, wantsText)
  const query = useQuery({
    ...resourceQuery(path),
    enabled: needsResource,
    refetchOnMount: isFileAddress || !isReadForStart(path),
  })
  useEffect(startIsShown, [])
  const resource = needsResource ? query.data : listed
  const error = needsResource ? query.error : null
  const retry = () => void query.refetch()
  useTitle(path === '/' ? t('frame.myFiles') : nameOf(path), t('frame.files'))
  const cameUpAt = useFolderLeft(path)
  useRememberedPlace(resource)
  const isOpening = resource === undefined && error === null && isFileAddress
  const close = () => closeFile(path)
  useKeys({ Escape: close }, { level: 'page', isOn: isOpening })

  if (error !== null && !(resource !== undefined && isFolder(resource) && isPassing(error)))
    return <FailedPath path={path} isOnWayUp={query.dataUpdatedAt < cameUpAt} error={error} onRetry={retry} />
  const note =
    error !== null ? (
      <Outdated error={error} onRetry={retry} />
    ) : (
      needsResource && query.isFetching && <Late key={path} path={path} onRetry={retry} />
    )
  if (resource === undefined || isFolder(resource)) return <FolderView path={path} folder={resource} note={note} />
  const isTextView = isEdited(resource, wantsText)
  const waiting = <Opening view={isTextView ? 'editor' : 'preview'} path={path} note={note} />
  // A text must not be edited from memory: it may have been saved, here or elsewhere, since it was read.
  if (isTextView && !query.isFetchedAfterMount) return waiting
  if (!isTextView) return <Preview file={resource} waiting={waiting} />
  const crumbs = <Breadcrumbs path={parentOf(path)} isAboveFile />
  return <TextFileLoader key={path} file={resource} crumbs={crumbs} waiting={waiting} />
}

/** The file as a listing that is known already tells of it: opening it, and stepping on from it, asks the server nothing. */
function useListedFile(path: string, isFileAddress: boolean): Entry | undefined {
  const { data: folder } = useQuery({ ...resourceQuery(parentOf(path)), enabled: false })
  return useMemo(() => {
    if (!isFileAddress || folder === undefined || !isFolder(folder)) return undefined
    const found = folder.items.find((item) => item.path === path)
    return found === undefined || found.isDir || found.type === 'invalid_link' ? undefined : found
  }, [folder, path, isFileAddress])
}

/** Tables are shown as tables unless the address asks for the text. What may not be downloaded may not be read either. */
const isEdited = (file: Entry, wantsText: boolean): boolean =>
  isText(file) && (wantsText || previewKind(file) !== 'csv') && may('download', [file])

/** Back to the folder, with the file selected. */
function closeFile(path: string): void {
  revealWhenListed(parentOf(path), nameOf(path))
  void returnTo(folderAddress(parentOf(path)))
}

function Opening({ view, path, note }: { view: 'editor' | 'preview'; path: string; note: ReactNode }) {
  const close = () => closeFile(path)
  useKeys({ Escape: close }, { level: 'page' })
  return <Panel view={view} isBusy header={null} note={note} />
}

/** Palette and sidebar offer what was opened last. Their code is not needed before. */
function useRememberedPlace(resource: Entry | undefined): void {
  const { path, isDir } = resource ?? {}
  const scope = useScope()
  useEffect(() => {
    if (path === undefined || isDir === undefined) return
    void import('../workspace/recent-places.ts').then(
      ({ rememberPlace }) => rememberPlace({ path, isDir }, scope),
      () => {},
    )
  }, [path, isDir, scope])
}

/** Going up selects the folder that was left, before the listing is entered. Answers when the page came up here; 0 if it did not. */
function useFolderLeft(path: string): number {
  const [{ to, from, at }, setWay] = useState({ to: path, from: path, at: 0 })
  if (to !== path) setWay({ to: path, from: to, at: Date.now() })
  const isUp = from !== path && parentOf(from) === path
  useLayoutEffect(() => {
    if (isUp) revealFolderLeft(path, nameOf(from))
  }, [path, from, isUp])
  return isUp ? at : 0
}

/** A connection or a server that is gone for a moment. Other failures are answers about the folder itself. */
function isPassing(error: Error): boolean {
  const status = statusOf(error)
  return status === 0 || status === 429 || status >= 500
}

/** Nothing is shown that could be acted upon, least of all the folder before. */
function ErrorPanel({ path, status, children }: { path: string; status: number; children: ReactNode }) {
  useEffect(() => leaveFiles(), [])
  return (
    <Panel view="error" status={status} header={<FolderHeader path={path} />}>
      {children}
    </Panel>
  )
}

/** How often a folder that is not available is asked for again, in milliseconds. */
const awayPause = 5000

interface FailedPathProps {
  path: string
  /** It was reached from below, and nothing of it was shown since. */
  isOnWayUp: boolean
  error: Error
  onRetry: () => void
}

function FailedPath({ path, isOnWayUp, error, onRetry }: FailedPathProps) {
  const { t } = useTranslation()
  const status = statusOf(error)
  useWhenReachable(status === 0, onRetry)
  // An account may see what a guest may not.
  const isClosed = status === 403 && isGuest() && startSettings.LoginPage
  // The way up ends at the nearest folder that is there. The server tells only of the one that is asked for.
  const isPassed = isOnWayUp && (status === 403 || status === 404) && !isRevisiting()
  useLayoutEffect(() => {
    if (isClosed) goTo(loginAddress(), { replace: true })
    else if (isPassed) goTo(folderAddress(parentOf(path)), { replace: true })
  }, [isClosed, isPassed, path])
  // The disk of a folder that is away may come back.
  const isAway = status === 503
  const retry = useEffectEvent(() => {
    onRetry()
    void cache().invalidateQueries({ queryKey: ['mounts'] })
  })
  useEffect(() => {
    if (!isAway) return
    const timer = setInterval(retry, awayPause)
    return () => clearInterval(timer)
  }, [isAway])
  return (
    <ErrorPanel path={path} status={status}>
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
    </ErrorPanel>
  )
}

/** The view of this path threw an error. Sidebar, uploads and dialogs go on. */
function FailedView({ path, close, ...failure }: Failure & { path: string; close: () => void }) {
  const onClose = path === '/' ? undefined : close
  useKeys({ Escape: onClose }, { level: 'page' })
  function retry() {
    // What the view was drawn from may be what it could not be drawn from.
    cache().removeQueries({ queryKey: resourceKey(path), exact: true })
    failure.retry()
  }
  return (
    <ErrorPanel path={path} status={failure.status}>
      <ViewFailure level={1} {...failure} retry={retry} onClose={onClose} />
    </ErrorPanel>
  )
}
