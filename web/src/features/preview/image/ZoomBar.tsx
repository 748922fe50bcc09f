import { useTranslation } from 'react-i18next'
import { formatPercent } from '../../../i18n/format.ts'
import { IconButton } from '../../../ui/Button.tsx'
import styles from './ZoomBar.module.css'

interface ZoomBarProps {
  label: string
  zoom: number
  isActual: boolean
  /** Null where there is only one size of the picture to load. */
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
  // Values are drawn by the style sheet: as text they would contradict the names of the buttons.
  return (
    <div className={styles.bar} role="toolbar" aria-label={props.label} data-bar>
      <IconButton icon="zoom-out" label={t('preview.zoomOut')} hint="−" small onClick={props.onZoomOut} />
      <button
        type="button"
        className={styles.value}
        aria-label={t('preview.resetZoom')}
        title={`${t('preview.resetZoom')} (0)`}
        data-value={formatPercent(props.zoom)}
        onClick={props.onReset}
      />
      <IconButton icon="zoom-in" label={t('preview.zoomIn')} hint="+" small onClick={props.onZoomIn} />
      <span className={styles.rule} />
      <button
        type="button"
        className={styles.value}
        aria-label={t('preview.actualSize')}
        title={`${t('preview.actualSize')} (1)`}
        aria-pressed={props.isActual}
        data-value="1:1"
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
