import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { runById } from '../../commands/registry.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { useTries } from '../../server/connection.ts'
import { useIsUnsettled } from '../../server/operations/unsettled.ts'
import { may } from '../../server/queries/access.ts'
import { type Entry, previewUrl, rawUrl, resourceQuery } from '../../server/queries/resources.ts'
import { startSettings } from '../../server/start-settings.ts'
import { FileMark } from '../../ui/Icon.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { isMarkdown } from '../formats/kinds.ts'
import { markOf } from '../marks/mark-of.ts'
import styles from './EntryPreview.module.css'

const MarkdownViewer = lazyPart(async () => (await import('../viewers/text/MarkdownViewer.tsx')).MarkdownViewer)

/** A picture of the entry, whole, or the mark of its kind. Leads to the quick look. */
export function EntryPicture({ entry }: { entry: Entry }) {
  const { t } = useTranslation()
  const isFilm = entry.type === 'video' && startSettings.EnableVideoThumbs && may('download', [entry])
  return (
    <button
      type="button"
      className={styles.picture}
      aria-label={t('info.quickLook')}
      onClick={() => runById('quick-look')}
    >
      <Picture entry={entry} address={isFilm ? previewUrl('thumb', entry) : imageOf(entry)} />
    </button>
  )
}

const imageOf = (entry: Entry): string | null =>
  entry.type === 'image' && entry.size > 0 && may('download', [entry]) ? previewUrl('big', entry) : null

/** What cannot be decoded has the mark of its kind. */
function Picture({ entry, address }: { entry: Entry; address: string | null }) {
  const [hasFailed, setHasFailed] = useState(false)
  const { tries, onError } = useTries(() => setHasFailed(true))
  if (useIsUnsettled(entry.path) || address === null || hasFailed)
    return (
      <span className={styles.mark}>
        <FileMark name={markOf(entry)} />
      </span>
    )
  return <img key={tries} src={address} alt="" onError={onError} />
}

/** A longer text is not read for a look, in bytes. */
const longestText = 256 * 1024

/** The entry as large as the dialog: a picture, a film, music or a text. */
export function EntryView({ entry }: { entry: Entry }) {
  const mayRead = may('download', [entry])
  if (mayRead && entry.type === 'video')
    // biome-ignore lint/a11y/useMediaCaption: subtitles are for the viewer
    return <video controls src={rawUrl(entry.path, { inline: true })} aria-label={entry.name} />
  if (mayRead && entry.type === 'audio')
    return (
      <>
        <Picture entry={entry} address={null} />
        {/* biome-ignore lint/a11y/useMediaCaption: music has none */}
        <audio controls src={rawUrl(entry.path, { inline: true })} aria-label={entry.name} />
      </>
    )
  const isText = entry.type === 'text' || entry.type === 'textImmutable'
  if (mayRead && isText && entry.size <= longestText)
    return isMarkdown(entry.name) ? <Markdown entry={entry} /> : <Text entry={entry} />
  return <Picture entry={entry} address={imageOf(entry)} />
}

const Markdown = ({ entry }: { entry: Entry }) => (
  <MarkdownViewer
    name={entry.name}
    path={entry.path}
    src={rawUrl(entry.path, { inline: true })}
    pictureAt={(path) => rawUrl(path, { inline: true })}
    otherwise={<Text entry={entry} />}
  />
)

function Text({ entry }: { entry: Entry }) {
  const { data } = useQuery({ ...resourceQuery(entry.path), staleTime: 10_000 })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <pre role="document" className={styles.text} dir="auto" tabIndex={0} aria-label={entry.name}>
      {data?.content ?? ''}
    </pre>
  )
}
