import { formatPercent } from '../../../i18n/format.ts'
import { useTranslation } from '../../../i18n/i18n.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { ValueButton } from '../ViewerParts.tsx'
import styles from './ZoomBar.module.css'

interface ZoomBarProps {
  label: string
  zoom: number
  isActual: boolean
  /** Null where there is only one size of the image to load. */
  isFull: boolean | null
  onZoomIn(): void
  onZoomOut(): void
  onReset(): void
  onActual(): void
  onFull(): void
  onTurn(): void
}

export function ZoomBar(props: ZoomBarProps) {
  const { t } = useTranslation()
  return (
    <div className={styles.bar} role="toolbar" aria-label={props.label} data-bar>
      <IconButton icon="zoom-out" label={t('preview.zoomOut')} hint="−" small onClick={props.onZoomOut} />
      <ValueButton
        label={t('preview.resetZoom')}
        hint="0"
        value={formatPercent(props.zoom)}
        small
        onClick={props.onReset}
      />
      <IconButton icon="zoom-in" label={t('preview.zoomIn')} hint="+" small onClick={props.onZoomIn} />
      <span className={styles.rule} />
      <ValueButton
        label={t('preview.actualSize')}
        hint="1"
        value="1:1"
        small
        aria-pressed={props.isActual}
        onClick={props.onActual}
      />
      {props.isFull !== null && (
        <IconButton
          icon="full"
          label={t('preview.fullSize')}
          small
          aria-pressed={props.isFull}
          onClick={props.onFull}
        />
      )}
      <IconButton icon="rotate" label={t('preview.rotate')} hint="R" small onClick={props.onTurn} />
    </div>
  )
}
