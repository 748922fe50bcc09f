import { nameOf } from '@filestead/contract'
import { useEffect } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { mayIn } from '../../server/queries/access.ts'
import { Scene } from '../../ui/Icon.tsx'
import styles from './DropOverlay.module.css'

/** Between the overlay and the main area, in pixels. */
const edge = 8

/** Lies below the names of the columns, over the main area only, so that breadcrumbs and sidebar can be aimed at. */
export function DropOverlay({ folder, main }: { folder: string; main: HTMLElement }) {
  const { t } = useTranslation()
  const name = folder === '/' ? t('frame.myFiles') : nameOf(folder)
  const title = mayIn(folder) ? t('upload.dropHere') : t('upload.notHere')
  const start = main.offsetTop + (main.querySelector<HTMLElement>('[data-columns]')?.offsetHeight ?? 0) + edge

  useEffect(() => {
    document.documentElement.dataset.filesOver = 'true'
    return () => void delete document.documentElement.dataset.filesOver
  }, [])

  return (
    <section
      aria-label={title}
      className={styles.zone}
      // A viewer hides whatever lies beside it, and lies above it.
      style={{
        insetBlockStart: start,
        inlineSize: main.offsetWidth - 2 * edge,
        blockSize: main.offsetTop + main.offsetHeight - edge - start,
        visibility: 'visible',
      }}
    >
      <div className={styles.card}>
        <span className={styles.scene}>
          <Scene name="empty" />
        </span>
        <div>
          <h2 className={styles.title}>{title}</h2>
          {mayIn(folder) && <p className={styles.text}>{t('upload.goInto', { folder: name })}</p>}
        </div>
      </div>
    </section>
  )
}
