import { extensionOf, nameOf } from '@filestead/contract'
import { lazy, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { type Entry, previewUrl, rawUrl, subtitleUrl } from '../../api/resources.ts'
import { can, currentSession } from '../../api/session.ts'
import { startSettings } from '../../api/start-settings.ts'
import { formatSize } from '../../i18n/format.ts'
import { fileAddress } from '../../navigation/addresses.ts'
import { hrefOf } from '../../navigation/location.ts'
import { markOf } from '../../ui/mark-of.ts'
import { NoPreview } from './blob/NoPreview.tsx'
import { Filmstrip } from './image/Filmstrip.tsx'
import { ImageViewer } from './image/ImageViewer.tsx'
import { isShownByBrowsers, type PreviewKind, previewKind } from './kind.ts'
import type { Neighbours } from './neighbours.ts'
import styles from './Preview.module.css'

const VideoViewer = lazy(async () => ({ default: (await import('./video/VideoViewer.tsx')).VideoViewer }))
const AudioViewer = lazy(async () => ({ default: (await import('./audio/AudioViewer.tsx')).AudioViewer }))
const TableViewer = lazy(async () => ({ default: (await import('./table/TableViewer.tsx')).TableViewer }))
const PdfViewer = lazy(async () => ({ default: (await import('./pdf/PdfViewer.tsx')).PdfViewer }))
const BookViewer = lazy(async () => ({ default: (await import('./epub/BookViewer.tsx')).BookViewer }))

interface ViewerProps {
  file: Entry
  kind: PreviewKind
  neighbours: Neighbours
  onStep(step: -1 | 1): void
  onOpen(entry: Entry): void
  onPlaying(isPlaying: boolean): void
}

/** Gives the viewer for a kind of file its addresses. The viewers themselves know nothing of the API. */
export function Viewer(props: ViewerProps) {
  const { t } = useTranslation()
  const { file, kind } = props
  if (!can('download')) return <Unseen file={file} title={t('preview.notAllowed')} />
  switch (kind) {
    case 'image':
      return <Picture {...props} />
    case 'video':
      return <Film {...props} />
    case 'audio':
      return <Recording {...props} />
    case 'csv':
      return <Spreadsheet {...props} />
    case 'pdf':
      return (
        <div className={styles.viewer}>
          <PdfViewer
            name={file.name}
            src={rawUrl(file.path, { inline: true })}
            otherwise={<Unreadable file={file} />}
          />
        </div>
      )
    case 'epub':
      return (
        <div className={styles.viewer}>
          <BookViewer
            name={file.name}
            src={rawUrl(file.path, { inline: true })}
            rememberAs={rememberedName(file)}
            otherwise={<Unreadable file={file} />}
          />
        </div>
      )
    case 'blob':
      return <Unseen file={file} title={t('preview.notAvailable')} />
  }
}

function Picture({ file, neighbours, onStep, onOpen }: ViewerProps) {
  const { t } = useTranslation()
  const pictures = neighbours.all.filter((entry) => previewKind(entry) === 'image')
  usePrefetch(neighbours)
  const source = pictureSource(file)
  return (
    <>
      <div className={styles.viewer}>
        <ImageViewer
          name={file.name}
          src={source}
          fullSrc={
            startSettings.ResizePreview && isShownByBrowsers(file.name)
              ? rawUrl(file.path, { inline: true })
              : undefined
          }
          otherwise={<Unreadable file={file} />}
          onStep={onStep}
        />
      </div>
      {pictures.length > 1 && (
        <Filmstrip
          label={t('preview.pictures')}
          current={file.name}
          frames={pictures.map((entry) => ({
            name: entry.name,
            href: hrefOf(fileAddress(entry.path)),
            thumb: startSettings.EnableThumbs ? previewUrl('thumb', entry) : null,
          }))}
          onOpen={(name) => {
            const entry = pictures.find((picture) => picture.name === name)
            if (entry !== undefined) onOpen(entry)
          }}
        />
      )}
    </>
  )
}

function Film({ file, onPlaying }: ViewerProps) {
  const { t } = useTranslation()
  return (
    <div className={styles.viewer}>
      <VideoViewer
        name={file.name}
        src={rawUrl(file.path, { inline: true })}
        tracks={(file.subtitles ?? []).map((path) => ({
          label: withoutExtension(nameOf(path)),
          src: subtitleUrl(path),
        }))}
        rememberAs={rememberedName(file)}
        otherwise={<Unseen file={file} title={t('preview.cannotPlay')} />}
        onPlaying={onPlaying}
      />
    </div>
  )
}

function Recording({ file, neighbours, onOpen }: ViewerProps) {
  const { t } = useTranslation()
  const songs = neighbours.all.filter((entry) => previewKind(entry) === 'audio')
  return (
    <div className={styles.viewer}>
      <AudioViewer
        name={file.name}
        src={rawUrl(file.path, { inline: true })}
        songs={songs.map((entry) => ({ name: entry.name, href: hrefOf(fileAddress(entry.path)) }))}
        otherwise={<Unseen file={file} title={t('preview.cannotPlay')} />}
        onOpen={(name) => {
          const entry = songs.find((song) => song.name === name)
          if (entry !== undefined) onOpen(entry)
        }}
      />
    </div>
  )
}

/** More would not fit into the memory of a telephone. */
const mostTable = 64 * 1024 * 1024

function Spreadsheet({ file }: ViewerProps) {
  const { t } = useTranslation()
  if (file.size > mostTable)
    return <Unseen file={file} title={t('preview.tooLarge', { limit: formatSize(mostTable) })} />
  return (
    <div className={styles.viewer}>
      <TableViewer name={file.name} src={rawUrl(file.path, { inline: true })} otherwise={<Unreadable file={file} />} />
    </div>
  )
}

const withoutExtension = (name: string): string => name.slice(0, name.length - extensionOf(name).length)

/** Two people at one browser do not share their places. */
const rememberedName = (file: Entry): string => `${currentSession()?.user.id ?? 0}:${file.path}`

/** A smaller picture where the server makes them, and always for formats that only the server can read. */
const pictureSource = (file: Entry): string =>
  startSettings.ResizePreview || !isShownByBrowsers(file.name)
    ? previewUrl('big', file)
    : rawUrl(file.path, { inline: true })

/** The pictures before and after are fetched while one looks at this one. */
function usePrefetch({ previous, next }: Neighbours): void {
  useEffect(() => {
    const pictures = [next, previous].filter((entry) => entry !== null && previewKind(entry) === 'image')
    const loading = pictures.map((entry) => {
      const image = new Image()
      if (entry !== null) image.src = pictureSource(entry)
      return image
    })
    return () => {
      for (const image of loading) if (!image.complete) image.src = ''
    }
  }, [previous, next])
}

function Unreadable({ file }: { file: Entry }) {
  const { t } = useTranslation()
  return <Unseen file={file} title={t('preview.failed')} />
}

const mostText = 10 * 1024 * 1024

function Unseen({ file, title }: { file: Entry; title: string }) {
  const isReadable = can('download')
  const looksLikeText = file.type === 'text' || file.type === 'textImmutable'
  return (
    <NoPreview
      title={title}
      name={file.name}
      mark={markOf(file)}
      size={file.size}
      downloadUrl={isReadable ? rawUrl(file.path) : null}
      openUrl={isReadable ? rawUrl(file.path, { inline: true }) : null}
      textAddress={isReadable && looksLikeText && file.size <= mostText ? `${fileAddress(file.path)}?edit=true` : null}
    />
  )
}
