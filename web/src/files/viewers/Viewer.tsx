import { nameOf } from '@filestead/contract'
import { useEffect, useMemo, useState } from 'react'
import { formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { hrefOf } from '../../navigation/location.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { startSettings } from '../../server/start-settings.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { isMarkdown, isText, previewKind } from '../formats/kinds.ts'
import { stemOf } from '../formats/names.ts'
import { markOf } from '../marks/mark-of.ts'
import { Filmstrip } from './image/Filmstrip.tsx'
import { ImageViewer } from './image/ImageViewer.tsx'
import { useTrueSize } from './image/true-size.ts'
import { NoPreview } from './NoPreview.tsx'
import type { Neighbours } from './neighbours.ts'
import { autoplay } from './playback.ts'
import type { ViewerSource } from './source.ts'
import { useSteadyAddress } from './steady-address.ts'
import type { Step } from './stepping.ts'
import styles from './Viewer.module.css'
import { Loading, useIsCompact } from './ViewerParts.tsx'

const VideoViewer = lazyPart(async () => (await import('./video/VideoViewer.tsx')).VideoViewer)
const AudioViewer = lazyPart(async () => (await import('./audio/AudioViewer.tsx')).AudioViewer)
const TableViewer = lazyPart(async () => (await import('./table/TableViewer.tsx')).TableViewer)
const PdfViewer = lazyPart(async () => (await import('./pdf/PdfViewer.tsx')).PdfViewer)
const BookViewer = lazyPart(async () => (await import('./epub/BookViewer.tsx')).BookViewer)
const MarkdownViewer = lazyPart(async () => (await import('./text/MarkdownViewer.tsx')).MarkdownViewer)
const TextViewer = lazyPart(async () => (await import('./text/TextViewer.tsx')).TextViewer)

export interface ViewerProps {
  source: ViewerSource
  file: Entry
  neighbours: Neighbours
  onStep(step: Step): void
  onOpen(entry: Entry): void
  onPlaying(isPlaying: boolean): void
  /** The neighbours are results of a search, from several folders. */
  isAmongResults?: boolean
  /** The paths that are selected beside it, where they can be. */
  picked?: ReadonlySet<string>
}

/**
 * Gives the viewer for a kind of file its addresses. Images share one viewer, which stays while they are stepped through;
 * any other file has a viewer of its own.
 */
export function Viewer(props: ViewerProps) {
  const { t } = useTranslation()
  const { file, source } = props
  const isCompact = useIsCompact()
  useEffect(() => () => autoplay.set(false), [])
  if (!source.isReadable) return <NotShown {...props} title={t('preview.notAllowed')} />
  switch (previewKind(file)) {
    case 'image':
      return <ImageFile {...props} />
    case 'video':
      return <VideoFile key={file.path} {...props} />
    case 'audio':
      return <AudioFile key={file.path} {...props} />
    case 'csv':
      if (isCompact && isText(file)) return <TextFile key={file.path} {...props} />
      return <TableFile key={file.path} {...props} />
    case 'pdf':
      return <PdfFile key={file.path} {...props} />
    case 'epub':
      // A small preview is not worth loading a library.
      if (isCompact) return <NotShown {...props} title="" isExpected />
      return <BookFile key={file.path} {...props} />
    case 'blob':
      if (isText(file)) return <TextFile key={file.path} {...props} />
      return <NotShown {...props} title={t('preview.notAvailable')} isExpected />
  }
}

function ImageFile({ source, file, neighbours, isAmongResults = false, onStep, onOpen, picked }: ViewerProps) {
  const { t } = useTranslation()
  const isCompact = useIsCompact()
  const { all } = neighbours
  const images = useMemo(() => all.filter((entry) => previewKind(entry) === 'image'), [all])
  const current = useMemo(() => images.findIndex(({ path }) => path === file.path), [images, file.path])
  usePrefetch(source, neighbours)
  const version = `${file.path} ${file.modified}`
  const address = useSteadyAddress(version, imageAddress(source, file))
  const raw = useSteadyAddress(version, source.raw(file))
  const hasFull = startSettings.ResizePreview && isShownByBrowsers(file.name)
  const { previous, next } = neighbours
  const isDrawing = /\.svg$/i.test(file.name)
  const beside = [file, next, previous].filter((entry) => entry !== null && previewKind(entry) === 'image')
  const trueSize = useTrueSize(source, beside as Entry[], hasFull && !isCompact && !isDrawing)
  return (
    <>
      <div className={styles.viewer}>
        <ImageViewer
          name={file.name}
          address={address}
          full={hasFull ? raw : undefined}
          trueSize={trueSize}
          isFullLight={file.size < lightFile}
          isDrawing={isDrawing}
          otherwise={<Failed source={source} file={file} />}
          onStep={onStep}
        />
      </div>
      {images.length > 1 && !isCompact && (
        <Filmstrip
          label={t(isAmongResults ? 'search.list' : 'preview.pictures')}
          images={images}
          current={current}
          hrefOf={(image) => hrefOf(source.address(image))}
          thumbnailOf={(image) => (startSettings.EnableThumbs ? source.preview('thumb', image) : null)}
          onOpen={onOpen}
          picked={picked}
        />
      )}
    </>
  )
}

/** A photograph of a camera of today; not a scan of a map. */
const lightFile = 20 * 1024 * 1024

const shownByBrowsers = /\.(jpe?g|jfif|png|gif|webp|avif|bmp|ico|svg|apng)$/i

/** Can a browser show the image by itself? Others have to be converted by the server. */
const isShownByBrowsers = (name: string): boolean => shownByBrowsers.test(name)

/** A smaller image where the server makes them, and always for formats that only the server can read. */
const imageAddress = (source: ViewerSource, file: Entry): string =>
  startSettings.ResizePreview || !isShownByBrowsers(file.name) ? source.preview('big', file) : source.raw(file)

/** Loads the images before and after while this one is looked at. */
function usePrefetch(source: ViewerSource, { previous, next }: Neighbours): void {
  const wanted = [next, previous].filter((entry) => entry !== null && previewKind(entry) === 'image')
  const addresses = wanted.map((entry) => (entry === null ? '' : imageAddress(source, entry))).join('\n')
  useEffect(() => {
    if (addresses === '') return
    const loading = addresses.split('\n').map((address) => {
      const image = new Image()
      image.src = address
      return image
    })
    return () => {
      for (const image of loading) if (!image.complete) image.src = ''
    }
  }, [addresses])
}

function VideoFile({ source, file, onPlaying }: ViewerProps) {
  const { t } = useTranslation()
  const address = useSteadyAddress(file.path, source.raw(file))
  const [tracks] = useState(() =>
    (file.subtitles ?? []).map((path) => ({ label: stemOf(nameOf(path)), src: source.subtitle(path) })),
  )
  return (
    <div className={styles.viewer}>
      <VideoViewer
        waiting={<Loading />}
        name={file.name}
        address={address}
        tracks={tracks}
        positionKey={source.positionKey(file)}
        otherwise={<NotShown source={source} file={file} title={t('preview.cannotPlay')} />}
        onPlaying={onPlaying}
      />
    </div>
  )
}

function AudioFile({ source, file, neighbours, isAmongResults = false, onOpen }: ViewerProps) {
  const { t } = useTranslation()
  const { all } = neighbours
  const songs = useMemo(() => all.filter((entry) => previewKind(entry) === 'audio'), [all])
  const address = useSteadyAddress(file.path, source.raw(file))
  return (
    <div className={styles.viewer}>
      <AudioViewer
        waiting={<Loading />}
        name={file.name}
        address={address}
        queue={{
          title: t(isAmongResults ? 'search.list' : 'preview.inThisFolder'),
          songs,
          current: file.path,
          hrefOf: (song) => hrefOf(source.address(song)),
          onOpen,
        }}
        otherwise={<NotShown source={source} file={file} title={t('preview.cannotPlay')} />}
      />
    </div>
  )
}

/** More would not fit into the memory of a phone. */
const largestTable = 64 * 1024 * 1024

function TableFile({ source, file }: ViewerProps) {
  const { t } = useTranslation()
  const { src } = useSteadyAddress(file.path, source.raw(file))
  if (file.size > largestTable)
    return <NotShown source={source} file={file} title={t('preview.tooLarge', { limit: formatSize(largestTable) })} />
  return (
    <div className={styles.viewer}>
      <TableViewer
        waiting={<Loading />}
        name={file.name}
        src={src}
        otherwise={<Failed source={source} file={file} />}
      />
    </div>
  )
}

function PdfFile({ source, file }: ViewerProps) {
  const { src } = useSteadyAddress(file.path, source.raw(file))
  return (
    <div className={styles.viewer}>
      <PdfViewer waiting={<Loading />} name={file.name} src={src} otherwise={<Failed source={source} file={file} />} />
    </div>
  )
}

function BookFile({ source, file }: ViewerProps) {
  const { src } = useSteadyAddress(file.path, source.raw(file))
  return (
    <div className={styles.viewer}>
      <BookViewer
        waiting={<Loading />}
        name={file.name}
        src={src}
        positionKey={source.positionKey(file)}
        otherwise={<Failed source={source} file={file} />}
      />
    </div>
  )
}

/** In bytes. A longer Markdown text is shown as it is written. */
const longestMarkdown = 256 * 1024

function TextFile({ source, file }: ViewerProps) {
  const isCompact = useIsCompact()
  const { src } = useSteadyAddress(file.path, source.raw(file))
  if (isMarkdown(file.name) && file.size <= longestMarkdown && !isCompact)
    return (
      <div className={styles.viewer}>
        <MarkdownViewer
          waiting={<Loading />}
          name={file.name}
          path={file.path}
          src={src}
          pictureAt={(path) => source.raw({ ...file, path })}
          otherwise={<Failed source={source} file={file} />}
        />
      </div>
    )
  return (
    <div className={styles.viewer}>
      <TextViewer
        waiting={<Loading />}
        name={file.name}
        src={src}
        size={file.size}
        otherwise={<Failed source={source} file={file} />}
      />
    </div>
  )
}

interface NotShownProps {
  source: ViewerSource
  file: Entry
  title: string
  /** The kind of file has no preview at all, and nothing failed. */
  isExpected?: boolean
}

function Failed({ source, file }: Omit<NotShownProps, 'title'>) {
  const { t } = useTranslation()
  return <NotShown source={source} file={file} title={t('preview.failed')} />
}

/** The server takes no longer texts for the editor. */
const largestText = 10 * 1024 * 1024

function NotShown({ source, file, title, isExpected = false }: NotShownProps) {
  const hasLinks = source.isReadable && source.offersLinks
  const isEditable = hasLinks && isText(file) && file.size <= largestText
  return (
    <NoPreview
      title={title}
      file={file}
      mark={markOf(file)}
      links={
        source.offersLinks
          ? {
              download: hasLinks ? source.download(file) : null,
              open: hasLinks ? source.raw(file) : null,
              text: isEditable ? source.textAddress(file) : null,
            }
          : null
      }
      isExpected={isExpected}
    />
  )
}
