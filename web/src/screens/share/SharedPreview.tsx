import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Entry } from '../../api/resources.ts'
import { publicUrl } from '../../api/shares.ts'
import { FileMark } from '../../ui/Icon.tsx'
import { markOf } from '../../ui/mark-of.ts'
import styles from './SharedPreview.module.css'
import { downloadUrl, pictureUrl, type Shared } from './shared.ts'

/** As much of a text as is read here; more than that wants a real reader. */
const longestText = 256 * 1024

/**
 * A look at a file, as far as browsers can show it. What they cannot is a mark of its kind. `name` is set where the
 * file lies in the folder in view.
 */
export function SharedPreview({ shared, entry, name }: { shared: Shared; entry: Entry; name?: string }) {
  const source = downloadUrl(shared, { name, inline: true })
  switch (entry.type) {
    case 'image':
      return <Picture key={source} shared={shared} entry={entry} name={name} />
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: the tracks are those that lie beside the film
        <video
          key={source}
          className={styles.video}
          src={source}
          aria-label={entry.name}
          controls
          playsInline
          preload="metadata"
        >
          {entry.subtitles?.map((path) => (
            <track
              key={path}
              kind="subtitles"
              label={labelOf(path)}
              src={publicUrl('subtitle', shared.hash, path, { token: shared.token })}
            />
          ))}
        </video>
      )
    case 'audio':
      return (
        <div className={styles.audio}>
          <FileMark name="audio" />
          {/* biome-ignore lint/a11y/useMediaCaption: music has no words to show */}
          <audio key={source} src={source} aria-label={entry.name} controls preload="metadata" />
        </div>
      )
    case 'pdf':
      return navigator.pdfViewerEnabled ? (
        <iframe key={source} className={styles.pdf} src={source} title={entry.name} />
      ) : (
        <Mark entry={entry} />
      )
    case 'text':
    case 'textImmutable':
      return <Text key={source} source={source} size={entry.size} />
    default:
      return <Mark entry={entry} />
  }
}

function Picture({ shared, entry, name }: { shared: Shared; entry: Entry; name: string | undefined }) {
  const [source, setSource] = useState(() => pictureUrl('big', shared, entry, name))
  const [isBroken, setIsBroken] = useState(false)
  const raw = downloadUrl(shared, { name, inline: true })
  if (isBroken) return <Mark entry={entry} />
  // The server makes no pictures of some kinds that browsers can show, such as drawings: then the file itself.
  return (
    <img
      className={styles.picture}
      src={source}
      alt={entry.name}
      onError={() => (source === raw ? setIsBroken(true) : setSource(raw))}
    />
  )
}

function Text({ source, size }: { source: string; size: number }) {
  const { t } = useTranslation()
  const { data } = useQuery({
    queryKey: ['shared-text', source],
    queryFn: async ({ signal }) => {
      const response = await fetch(source, { signal, headers: { Range: `bytes=0-${longestText - 1}` } })
      return response.ok ? response.text() : ''
    },
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text has to be scrolled by keyboard too
    <div className={styles.text} tabIndex={0} role="document">
      <pre dir="auto">{data ?? ''}</pre>
      {size > longestText && <p className={styles.cut}>{t('visit.tooLong')}</p>}
    </div>
  )
}

const Mark = ({ entry }: { entry: Entry }) => (
  <div className={styles.mark}>
    <FileMark name={markOf(entry)} />
  </div>
)

const labelOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '')
