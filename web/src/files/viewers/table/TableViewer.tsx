import { type ReactNode, useDeferredValue, useEffect, useId, useState } from 'react'
import { formatNumber } from '../../../i18n/format.ts'
import { useTranslation } from '../../../i18n/i18n.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { announce } from '../../../ui/live-status.ts'
import { type Encoding, encodings } from '../../formats/encodings.ts'
import { Loading } from '../ViewerParts.tsx'
import { Grid } from './Grid.tsx'
import type { Separator } from './parse.ts'
import styles from './TableViewer.module.css'
import { mostRows } from './table.ts'
import { useTable } from './use-table.ts'

export interface TableViewerProps {
  name: string
  src: string
  /** Shown when it cannot be read. */
  otherwise: ReactNode
}

/** A file of separated values as a table to sort and search. */
export function TableViewer({ name, src, otherwise }: TableViewerProps) {
  const { t } = useTranslation()
  const table = useTable(src)
  const [typed, setTyped] = useState('')
  const filter = useDeferredValue(typed)
  const settings = useId()
  const [hasSettings, setHasSettings] = useState(false)
  const { view, setFilter } = table
  useEffect(() => setFilter(filter), [filter, setFilter])

  const count = view?.count
  const note =
    view === null
      ? ''
      : view.loaded.isCut
        ? t('preview.firstRows', { count: mostRows, shown: formatNumber(mostRows) })
        : t('preview.rows', { count: count ?? 0, shown: formatNumber(count ?? 0) })
  useEffect(() => announce(note), [note])

  if (table.hasFailed) return otherwise
  if (view === null) return <Loading />
  return (
    <div className={styles.viewer}>
      <div className={styles.tools}>
        <input
          type="search"
          className={styles.filter}
          dir="auto"
          placeholder={t('preview.filter')}
          aria-label={t('preview.filter')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <span className={styles.note}>{note}</span>
        <span className={styles.settingsButton}>
          <IconButton
            icon="sliders"
            label={t('preview.tableSettings')}
            aria-expanded={hasSettings}
            aria-controls={settings}
            onClick={() => setHasSettings(!hasSettings)}
          />
        </span>
        <div id={settings} className={styles.settings} data-open={hasSettings}>
          <Labelled label={t('preview.separator')}>
            <select
              value={view.loaded.separator}
              onChange={(event) => table.setSeparator(event.target.value as Separator)}
            >
              {view.loaded.separators.map((separator) => (
                <option key={separator} value={separator}>
                  {t(`preview.${separator}`)}
                </option>
              ))}
            </select>
          </Labelled>
          <Labelled label={t('preview.encoding')}>
            <select
              value={view.loaded.encoding}
              onChange={(event) => table.setEncoding(event.target.value as Encoding)}
            >
              {encodings.map((encoding) => (
                <option key={encoding} value={encoding}>
                  {encoding}
                </option>
              ))}
            </select>
          </Labelled>
        </div>
      </div>
      <Grid name={name} view={view} order={table.order} onOrder={table.setOrder} />
    </div>
  )
}

const Labelled = ({ label, children }: { label: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside
  <label className={styles.choice}>
    <span>{label}</span>
    {children}
  </label>
)
