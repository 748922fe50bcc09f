import { useQuery } from '@tanstack/react-query'
import { type SyntheticEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useTries } from '../../api/line.ts'
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
  // Not the address: it changes with the visitor's grant, and what is in view or plays goes on.
  const key = `${shared.path} ${name}`
  switch (entry.type) {
    case 'image':
      return <Picture key={key} shared={shared} entry={entry} name={name} />
    case 'video':
      return <Video key={key} source={source} shared={shared} entry={entry} />
    case 'audio':
      return <Audio key={key} source={source} entry={entry} />
    case 'pdf':
      return navigator.pdfViewerEnabled ? <Pdf key={key} source={source} entry={entry} /> : <Mark entry={entry} />
    case 'text':
    case 'textImmutable':
      return <Text key={key} source={source} size={entry.size} />
    default:
      return <Mark entry={entry} />
  }
}

function Video({ source, shared, entry }: { source: string; shared: Shared; entry: Entry }) {
  const player = useSteadyPlayer(source)
  return (
    <video {...player} className={styles.video} aria-label={entry.name} controls playsInline preload="metadata">
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
}

function Audio({ source, entry }: { source: string; entry: Entry }) {
  const player = useSteadyPlayer(source)
  return (
    <div className={styles.audio}>
      <FileMark name="audio" />
      <audio {...player} aria-label={entry.name} controls preload="metadata" />
    </div>
  )
}

function Pdf({ source, entry }: { source: string; entry: Entry }) {
  const [first] = useState(source)
  return <iframe className={styles.pdf} src={first} title={entry.name} />
}

/** Plays from the first address until that is no longer good, then goes on from the latest one. */
function useSteadyPlayer(source: string) {
  const [src, setSrc] = useState(source)
  const broken = useRef<{ at: number; isPlaying: boolean } | null>(null)
  return {
    src,
    onError({ currentTarget: { currentTime, paused } }: SyntheticEvent<HTMLMediaElement>) {
      if (src === source) return
      broken.current = { at: currentTime, isPlaying: !paused }
      setSrc(source)
    },
    onLoadedMetadata({ currentTarget }: SyntheticEvent<HTMLMediaElement>) {
      if (broken.current === null) return
      const { at, isPlaying } = broken.current
      broken.current = null
      currentTarget.currentTime = at
      if (isPlaying) void currentTarget.play().catch(() => {})
    },
  }
}

function Picture({ shared, entry, name }: { shared: Shared; entry: Entry; name: string | undefined }) {
  const [source, setSource] = useState(() => pictureUrl('big', shared, entry, name))
  const [isBroken, setIsBroken] = useState(false)
  const raw = downloadUrl(shared, { name, inline: true })
  const { tries, onError } = useTries(() => (source === raw ? setIsBroken(true) : setSource(raw)))
  if (isBroken) return <Mark entry={entry} />
  // The server makes no pictures of some kinds that browsers can show, such as drawings: then the file itself.
  return <img key={tries} className={styles.picture} src={source} alt={entry.name} onError={onError} />
}

function Text({ source, size }: { source: string; size: number }) {
  const { t } = useTranslation()
  const [first] = useState(source)
  const { data } = useQuery({
    queryKey: ['shared-text', first],
    queryFn: async ({ signal }) => {
      const response = await fetch(first, { signal, headers: { Range: `bytes=0-${longestText - 1}` } })
      return response.ok ? response.text() : ''
    },
    // Asked again, an address that is no longer good would empty what is in view.
    staleTime: Number.POSITIVE_INFINITY,
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
