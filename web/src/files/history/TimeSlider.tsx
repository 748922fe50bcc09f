import { type CSSProperties, useEffect, useRef } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import type { Stop } from './moments.ts'
import styles from './TimeSlider.module.css'
import { formatDate, formatMoment } from './times.ts'

interface TimeSliderProps {
  /** The newest first. */
  stops: readonly Stop[]
  index: number
  onChoose(index: number): void
}

/** The oldest state at the beginning, the present at the end. Arrows go to the next one, Home and End to the outermost. */
export function TimeSlider({ stops, index, onChoose }: TimeSliderProps) {
  const { t } = useTranslation()
  const input = useRef<HTMLInputElement>(null)
  // It comes after the dialog, which had nothing else to give the focus to.
  useEffect(() => input.current?.focus(), [])
  const last = stops.length - 1
  const [stop, oldest] = [stops[index], stops[last]]
  if (stop === undefined || oldest === undefined) return null
  const position = last === 0 ? 1 : (last - index) / last
  return (
    <div className={styles.slider}>
      <span className={styles.end}>{formatDate(oldest.at)}</span>
      <input
        ref={input}
        type="range"
        className={styles.input}
        min={0}
        max={last}
        step={1}
        value={last - index}
        aria-label={t('history.time')}
        aria-valuetext={stop.isNow ? t('history.now') : `${formatMoment(stop.at)}, ${stop.text}`}
        data-ticks={last > 0 && last <= 60}
        style={{ '--at': `${position * 100}%`, '--steps': Math.max(last, 1) } as CSSProperties}
        onChange={({ target }) => onChoose(last - Number(target.value))}
      />
      <span className={styles.end}>{stops[0]?.isNow ? t('history.now') : formatDate(stops[0]?.at ?? 0)}</span>
    </div>
  )
}
