import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from '../../../i18n/i18n.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { FileMark } from '../../../ui/Icon.tsx'
import { PlayButton, SeekBar, Speed, Volume } from '../MediaControls.tsx'
import { formatTime, usePlayback } from '../playback.ts'
import type { SteadyAddress } from '../steady-address.ts'
import { useIsCompact, useViewerKeys } from '../ViewerParts.tsx'
import styles from './AudioViewer.module.css'
import { Queue, type QueueProps } from './Queue.tsx'
import { pieceReader, readTags, type Tags } from './tags.ts'

export interface AudioViewerProps {
  name: string
  address: SteadyAddress
  /** The recordings beside it, this one among them. */
  queue: QueueProps
  otherwise: ReactNode
}

const skipSeconds = 10

export function AudioViewer({ name, address, queue, otherwise }: AudioViewerProps) {
  const { t } = useTranslation()
  const audio = useRef<HTMLAudioElement>(null)
  const player = usePlayback(audio, address)
  const tags = useTags(address.src)
  const cover = useCover(tags)
  const { at, duration } = player.playback
  const isCompact = useIsCompact()
  const { songs, onOpen } = queue
  const next = songs[songs.findIndex((song) => song.path === queue.current) + 1]

  useViewerKeys({
    ' ': player.toggle,
    k: player.toggle,
    m: player.toggleMuted,
    ArrowUp: player.louder,
    ArrowDown: player.softer,
  })

  if (player.playback.hasFailed) return otherwise
  return (
    <div className={styles.stage} data-compact={isCompact}>
      <div className={styles.card}>
        <div className={styles.cover}>{cover === null ? <FileMark name="audio" /> : <img src={cover} alt="" />}</div>
        <div className={styles.words}>
          <h3>
            <bdi>{tags.title || name}</bdi>
          </h3>
          {(tags.artist || tags.album) && (
            <p>
              <bdi>{[tags.artist, tags.album].filter(Boolean).join(' · ')}</bdi>
            </p>
          )}
        </div>
        {/* biome-ignore lint/a11y/useMediaCaption: a recording has none */}
        <audio
          ref={audio}
          src={address.src}
          aria-label={name}
          preload="metadata"
          onEnded={() => next !== undefined && onOpen(next)}
        />
        <div dir="ltr">
          <SeekBar player={player} />
          <div className={styles.times}>
            <span>{formatTime(at)}</span>
            <span>{formatTime(duration)}</span>
          </div>
        </div>
        <div className={styles.controls} dir="ltr">
          <Speed player={player} />
          <IconButton
            icon="skip-back"
            label={t('preview.skipBack', { seconds: skipSeconds })}
            onClick={() => player.skip(-skipSeconds)}
          />
          <PlayButton player={player} isBig />
          <IconButton
            icon="skip-fwd"
            label={t('preview.skipForward', { seconds: skipSeconds })}
            onClick={() => player.skip(skipSeconds)}
          />
          <Volume player={player} />
        </div>
      </div>
      {songs.length > 1 && !isCompact && <Queue {...queue} />}
    </div>
  )
}

/** A failure is not shown: the recording plays without its tags. */
function useTags(src: string): Tags {
  const [tags, setTags] = useState<Tags>({})
  useEffect(() => {
    const controller = new AbortController()
    readTags(pieceReader(src, controller.signal)).then(setTags, () => {})
    return () => controller.abort()
  }, [src])
  return tags
}

function useCover({ cover }: Tags): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (cover === undefined) return
    const made = URL.createObjectURL(new Blob([cover.data], { type: cover.type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [cover])
  return url
}
