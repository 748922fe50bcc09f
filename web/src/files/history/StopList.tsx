import { useEffect, useId, useRef } from 'react'
import { formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { byDay, type Stop } from './moments.ts'
import styles from './StopList.module.css'
import { formatDate, formatTime } from './times.ts'

interface StopListProps {
  stops: readonly Stop[]
  index: number
  onChoose(index: number): void
}

/** The same choice as the slider's, with words. One stop of the Tab key, as the slider is. */
export function StopList({ stops, index, onChoose }: StopListProps) {
  const { t } = useTranslation()
  const name = useId()
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the slider has chosen another one
  useEffect(() => {
    const chosen = list.current?.querySelector(':checked')?.closest('label')
    if (list.current?.parentElement && chosen) showIn(list.current.parentElement, chosen)
  }, [index])
  return (
    <div ref={list} role="radiogroup" aria-label={t('history.title')} className={styles.list}>
      {byDay(stops).map((day) => (
        <fieldset key={day.key} className={styles.day}>
          <legend className={styles.date}>{formatDate(day.stops[0]?.stop.at ?? 0)}</legend>
          {day.stops.map(({ stop, index: at }) => (
            <label key={stop.key} className={styles.stop}>
              <input type="radio" name={name} checked={at === index} onChange={() => onChoose(at)} />
              <time className={styles.time} dateTime={new Date(stop.at).toISOString()}>
                {formatTime(stop.at)}
              </time>
              <span className={styles.text} title={stop.text}>
                <bdi>{stop.text}</bdi>
              </span>
              {stop.size !== undefined && <span className={styles.size}>{formatSize(stop.size)}</span>}
            </label>
          ))}
        </fieldset>
      ))}
    </div>
  )
}

/** Scrolls nothing else: on a phone that is held sideways the slider would go away below the finger. */
function showIn(scroller: HTMLElement, chosen: HTMLElement): void {
  const [room, box] = [scroller.getBoundingClientRect(), chosen.getBoundingClientRect()]
  scroller.scrollTop += Math.min(0, box.top - room.top) || Math.max(0, box.bottom - room.bottom)
}
