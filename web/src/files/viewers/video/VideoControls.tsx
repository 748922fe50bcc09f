import { type RefObject, useEffect, useState } from 'react'
import { useTranslation } from '../../../i18n/i18n.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { Choice, PlayButton, SeekBar, Speed, Volume } from '../MediaControls.tsx'
import { formatTime, type Player } from '../playback.ts'
import styles from './VideoViewer.module.css'

/** Which subtitles are shown: the index of the track, or -1 for none. The first are on from the start. */
export function useTracks(video: RefObject<HTMLVideoElement | null>, count: number) {
  const [shown, setShown] = useState(count > 0 ? 0 : -1)

  useEffect(() => {
    const tracks = video.current?.textTracks
    for (let index = 0; tracks !== undefined && index < tracks.length; index += 1) {
      const track = tracks[index]
      if (track !== undefined) track.mode = index === shown ? 'showing' : 'disabled'
    }
  }, [video, shown])

  return { shown, choose: setShown, toggle: () => count > 0 && setShown(shown === -1 ? 0 : -1) }
}

interface VideoControlsProps {
  player: Player
  video: RefObject<HTMLVideoElement | null>
  captions: ReturnType<typeof useTracks>
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
        <span className={styles.skip}>
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
        </span>
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
