import { formatPercent } from '../../../i18n/format.ts'
import { useTranslation } from '../../../i18n/i18n.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { ValueButton } from '../ViewerParts.tsx'
import styles from './ZoomBar.module.css'

interface ZoomBarProps {
  label: string
  /** Pixels of the screen for one of the image; null until it is known. */
  scale: number | null
  isFitting: boolean
  isActual: boolean
  /** At 100 % the file itself is loaded. */
  hasFull: boolean
  onZoomIn(): void
  onZoomOut(): void
  onReset(): void
  onActual(): void
  onTurn(): void
}

export function ZoomBar(props: ZoomBarProps) {
  const { t } = useTranslation()
  return (
    <div className={styles.bar} role="toolbar" aria-label={props.label} data-bar>
      <IconButton icon="zoom-out" label={t('preview.zoomOut')} hint="−" small onClick={props.onZoomOut} />
      <span className={styles.scale}>{props.scale === null ? '' : formatPercent(props.scale)}</span>
      <IconButton icon="zoom-in" label={t('preview.zoomIn')} hint="+" small onClick={props.onZoomIn} />
      <span className={styles.rule} />
      <ValueButton
        label={t('preview.resetZoom')}
        hint="0"
        value={t('preview.fit')}
        small
        aria-pressed={props.isFitting}
        onClick={props.onReset}
      />
      <ValueButton
        label={t(props.hasFull ? 'preview.fullSize' : 'preview.actualSize')}
        hint="1"
        value={formatPercent(1)}
        small
        aria-pressed={props.isActual}
        onClick={props.onActual}
      />
      <IconButton icon="rotate" label={t('preview.rotate')} hint="R" small onClick={props.onTurn} />
    </div>
  )
}
