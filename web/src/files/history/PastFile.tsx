import { archiveFormatOf, nameOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { ErrorMessage } from '../../errors/ErrorMessage.tsx'
import { needTexts, useTranslation } from '../../i18n/i18n.ts'
import { fileAddress } from '../../navigation/addresses.ts'
import { Link } from '../../navigation/Link.tsx'
import { closeAddress, type ShownPast } from '../../navigation/past-address.ts'
import { returnTo } from '../../navigation/return-to.ts'
import { useTitle } from '../../navigation/title.ts'
import { ApiError } from '../../server/client.ts'
import { pastQuery } from '../../server/queries/past.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { announce } from '../../ui/live-status.ts'
import { leaveFiles } from '../../workspace/workspace.ts'
import { saveFile } from '../download/save.ts'
import { previewKind } from '../formats/kinds.ts'
import { restorePast } from '../operations/restore-past.ts'
import frame from '../viewers/Preview.module.css'
import { pastSource } from '../viewers/source.ts'
import { isOnStage } from '../viewers/stepping.ts'
import { Viewer } from '../viewers/Viewer.tsx'
import { Loading } from '../viewers/ViewerParts.tsx'
import styles from './PastFile.module.css'
import { formatMoment } from './times.ts'

const ArchiveViewer = lazyPart(async () => {
  const [{ ArchiveViewer }] = await Promise.all([import('../viewers/archive/ArchiveViewer.tsx'), needTexts('archives')])
  return ArchiveViewer
})

const alone = { previous: null, next: null, all: [], position: -1 }
const nothing = () => {}

interface PastFileProps {
  path: string
  shown: ShownPast
}

/** A file as it was, in the viewer of its kind, to be read. No command acts on it: they are about the present. */
export function PastFile({ path, shown }: PastFileProps) {
  const { t } = useTranslation()
  const { data: file, error, refetch } = useQuery(pastQuery(path, shown.past))
  const name = nameOf(path)
  const kind = file === undefined ? 'blob' : previewKind(file)
  const isInTrash = shown.top !== null
  const close = () => void returnTo(closeAddress(path, shown))
  useTitle(name, t('history.title'))
  useEffect(() => leaveFiles(), [])
  useEffect(() => announce(name), [name])
  const source = file && pastSource(file, shown)
  const isArchive = source?.isReadable === true && archiveFormatOf(name) !== undefined

  return (
    <main
      id="content"
      tabIndex={-1}
      className={isOnStage(kind) ? frame.cover : frame.panel}
      data-view="preview"
      aria-busy={file === undefined && error === null}
    >
      <h1 className={frame.visuallyHidden}>{t('preview.title')}</h1>
      <section
        id="previewer"
        className={frame.frame}
        aria-label={t('preview.title')}
        data-preview-type={isArchive ? 'archive' : kind}
        data-stage={isOnStage(kind) ? 'dark' : 'plain'}
      >
        <header className={frame.header} data-bar>
          <IconButton icon="x" label={t('buttons.close')} hint="Esc" onClick={close} />
          <div className={frame.title}>
            <h2 title={name}>
              <bdi>{name}</bdi>
            </h2>
          </div>
          {isInTrash && file !== undefined && <RestoreButton file={file} past={shown.past} onDone={close} />}
          {file !== undefined && source?.isReadable === true && (
            <IconButton
              icon="download"
              label={t('download.download')}
              onClick={() => saveFile(source.download(file))}
            />
          )}
        </header>
        <AsOf file={file} shown={shown} back={isInTrash ? closeAddress(path, shown) : fileAddress(path)} />
        <div className={frame.content}>
          {error !== null && (
            <ErrorMessage
              status={error instanceof ApiError ? error.status : 500}
              level={2}
              actions={
                <Button look="primary" icon="retry" onClick={() => void refetch()}>
                  {t('buttons.tryAgain')}
                </Button>
              }
            />
          )}
          {file === undefined && error === null && <Loading />}
          {file !== undefined &&
            source !== undefined &&
            (isArchive ? (
              <ArchiveViewer file={file} onClose={close} waiting={<Loading />} />
            ) : (
              <Viewer
                source={source}
                file={file}
                neighbours={alone}
                onStep={nothing}
                onOpen={nothing}
                onPlaying={nothing}
              />
            ))}
        </div>
      </section>
    </main>
  )
}

interface RestoreButtonProps {
  file: Entry
  past: string
  onDone(): void
}

/** Back to where it was. */
function RestoreButton({ file: { path, isDir, size, modified }, past, onDone }: RestoreButtonProps) {
  const { t } = useTranslation()
  const [isBusy, setIsBusy] = useState(false)

  async function restore() {
    setIsBusy(true)
    try {
      if ((await restorePast([{ past, path, to: path, isDir, size, modified }])) === 1) onDone()
    } catch (error) {
      showFailure(error)
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <Button icon="undo" isBusy={isBusy} onClick={() => void restore()}>
      {t('history.restore')}
    </Button>
  )
}

/** Says that this is not the file as it is now, and leads there. */
function AsOf({ file, shown, back }: { file: Entry | undefined; shown: ShownPast; back: string }) {
  const { t } = useTranslation()
  const at = shown.at ?? (file === undefined ? undefined : Date.parse(file.modified))
  const time = at === undefined ? t('history.older') : t('history.asOf', { time: formatMoment(at) })
  return (
    <div role="note" className={styles.bar}>
      <Icon name="clock" small />
      <span>{shown.top === null ? time : `${t('history.inTrash')} · ${time}`}</span>
      <Link to={back} className={styles.back}>
        {shown.top === null ? t('history.back') : t('history.backToTrash')}
      </Link>
    </div>
  )
}
