import { type TouchEvent, useRef } from 'react'
import { formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { FileMark } from '../../ui/Icon.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { markOf } from '../marks/mark-of.ts'
import styles from './SheetHead.module.css'

/** How far a finger draws the sheet down for it to close, in pixels. */
const farEnough = 40

/** The top of a sheet: a handle to draw it down by, and what its commands are for. */
export function SheetHead({ chosen, onClose }: { chosen: readonly Entry[]; onClose: () => void }) {
  const { t } = useTranslation()
  const from = useRef(0)
  const [only, ...others] = chosen

  /** The sheet follows the finger down. Answers how far. */
  function follow({ currentTarget, changedTouches }: TouchEvent<HTMLElement>): number {
    const way = Math.max(0, (changedTouches[0]?.clientY ?? 0) - from.current)
    if (currentTarget.parentElement !== null) currentTarget.parentElement.style.translate = `0 ${way}px`
    return way
  }

  function onTouchEnd(event: TouchEvent<HTMLElement>) {
    if (follow(event) > farEnough) return onClose()
    event.currentTarget.parentElement?.style.removeProperty('translate')
  }

  return (
    <div
      className={styles.head}
      aria-hidden="true"
      onTouchStart={({ touches }) => {
        from.current = touches[0]?.clientY ?? 0
      }}
      onTouchMove={follow}
      onTouchEnd={onTouchEnd}
    >
      {only !== undefined && others.length === 0 ? (
        <One entry={only} />
      ) : (
        <b className={styles.name}>{t('files.items', { count: chosen.length })}</b>
      )}
    </div>
  )
}

const One = ({ entry }: { entry: Entry }) => (
  <>
    <FileMark name={markOf(entry)} />
    <span className={styles.text}>
      <bdi className={styles.name}>{entry.name}</bdi>
      <span className={styles.meta}>
        {!entry.isDir && (
          <>
            <bdi>{formatSize(entry.size)}</bdi>
            {' · '}
          </>
        )}
        <RelativeTime at={new Date(entry.modified)} />
      </span>
    </span>
  </>
)
