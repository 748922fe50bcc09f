import type { RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../../ui/Button.tsx'
import { Choice, PlayButton, SeekBar, Speed, Volume } from '../MediaControls.tsx'
import { formatTime } from '../media-time.ts'
import type { Player } from '../playback.ts'
import type { Tracks } from './tracks.ts'
import styles from './VideoViewer.module.css'

interface VideoControlsProps {
  player: Player
  video: RefObject<HTMLVideoElement | null>
  captions: Tracks
  labels: readonly string[]
  skipSeconds: number
  onFull(): void
}

export function VideoControls({ player, video, captions, labels, skipSeconds, onFull }: VideoControlsProps) {
  const { t } = useTranslation()
  const { at, duration } = player.playback
  return (
    <div className={styles.controls} dir="ltr" data-bar>
      <SeekBar player={player} />
      <div className={styles.row}>
        <PlayButton player={player} />
        <IconButton
          icon="skip-back"
          label={t('preview.skipBack', { seconds: skipSeconds })}
          hint="←"
          onClick={() => player.skip(-skipSeconds)}
        />
        <IconButton
          icon="skip-fwd"
          label={t('preview.skipForward', { seconds: skipSeconds })}
          hint="→"
          onClick={() => player.skip(skipSeconds)}
        />
        <Volume player={player} />
        <span className={styles.time}>
          {t('preview.timePair', { at: formatTime(at), duration: formatTime(duration) })}
        </span>
        <span className={styles.grow} />
        <Speed player={player} />
        {labels.length > 0 && (
          <Choice
            label={t('preview.subtitles')}
            value={String(captions.shown)}
            options={[
              { value: '-1', label: t('preview.noSubtitles') },
              ...labels.map((label, index) => ({ value: String(index), label })),
            ]}
            onChoose={(value) => captions.choose(Number(value))}
          />
        )}
        {document.pictureInPictureEnabled && (
          <span className={styles.wideOnly}>
            <IconButton
              icon="pip"
              label={t('preview.pictureInPicture')}
              onClick={() => {
                if (document.pictureInPictureElement !== null) void document.exitPictureInPicture()
                else void video.current?.requestPictureInPicture().catch(() => {})
              }}
            />
          </span>
        )}
        <IconButton icon="full" label={t('preview.fullScreen')} hint="F" onClick={onFull} />
      </div>
    </div>
  )
}
