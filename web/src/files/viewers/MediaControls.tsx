import type { CSSProperties } from 'react'
import { formatNumber } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './MediaControls.module.css'
import { formatTime, type Player, speeds } from './playback.ts'

/** The position in a film or song. Time runs from left to right in every language. */
export function SeekBar({ player: { playback, seek } }: { player: Player }) {
  const { t } = useTranslation()
  const { at, duration } = playback
  return (
    <input
      type="range"
      className={styles.seek}
      dir="ltr"
      min={0}
      max={duration || 1}
      step={duration > 600 ? 5 : 1}
      value={at}
      disabled={duration === 0}
      aria-label={t('preview.seek')}
      aria-valuetext={t('preview.timeOf', { at: formatTime(at), duration: formatTime(duration) })}
      style={{ '--at': `${duration === 0 ? 0 : (at / duration) * 100}%` } as CSSProperties}
      onChange={(event) => seek(Number(event.target.value))}
    />
  )
}

export function PlayButton({ player: { playback, toggle }, isBig = false }: { player: Player; isBig?: boolean }) {
  const { t } = useTranslation()
  if (!isBig)
    return (
      <IconButton
        icon={playback.isPlaying ? 'pause' : 'play'}
        label={t('preview.play')}
        hint={t('preview.spaceKey')}
        aria-pressed={playback.isPlaying}
        onClick={toggle}
      />
    )
  return (
    <button
      type="button"
      className={styles.big}
      aria-label={t('preview.play')}
      data-tip={t('preview.play')}
      aria-pressed={playback.isPlaying}
      onClick={toggle}
    >
      <Icon name={playback.isPlaying ? 'pause' : 'play'} />
    </button>
  )
}

export function Volume({ player: { playback, toggleMuted, setVolume } }: { player: Player }) {
  const { t } = useTranslation()
  const isSilent = playback.isMuted || playback.volume === 0
  return (
    <span className={styles.volume} data-silent={isSilent}>
      <IconButton icon="volume" label={t('preview.mute')} hint="M" aria-pressed={isSilent} onClick={toggleMuted} />
      <input
        type="range"
        className={styles.seek}
        dir="ltr"
        min={0}
        max={1}
        step={0.05}
        value={isSilent ? 0 : playback.volume}
        aria-label={t('preview.volume')}
        style={{ '--at': `${isSilent ? 0 : playback.volume * 100}%` } as CSSProperties}
        onChange={(event) => setVolume(Number(event.target.value))}
      />
    </span>
  )
}

export function Speed({ player: { playback, setSpeed } }: { player: Player }) {
  const { t } = useTranslation()
  return (
    <Choice
      label={t('preview.speed')}
      value={String(playback.speed)}
      options={speeds.map((speed) => ({ value: String(speed), label: `${formatNumber(speed)}×` }))}
      onChoose={(value) => setSpeed(Number(value))}
    />
  )
}

/** A native select: unlike a menu of the page it also opens over a film in full screen. */
export function Choice({
  label,
  value,
  options,
  onChoose,
}: {
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onChoose(value: string): void
}) {
  return (
    <select
      className={styles.choice}
      aria-label={label}
      data-tip={label}
      value={value}
      onChange={(event) => onChoose(event.target.value)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}
