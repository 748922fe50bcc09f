import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { useTranslation } from '../../../i18n/i18n.ts'
import { Icon } from '../../../ui/Icon.tsx'
import styles from './TableViewer.module.css'
import type { Order } from './table.ts'
import { useRows, type View } from './use-table.ts'

const rowHeight = 32

interface GridProps {
  name: string
  view: View
  order: Order | null
  onOrder(order: Order | null): void
}

/** Only the rows in view are rendered. Values are texts, whatever they look like: no formula, no markup, no link. */
export function Grid({ name, view, order, onOrder }: GridProps) {
  const { t } = useTranslation()
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: view.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    initialRect: { width: 1000, height: 800 },
  })
  const items = virtual.getVirtualItems()
  const from = items[0]?.index ?? 0
  const to = items.at(-1)?.index ?? 0
  const rowAt = useRows(view, from, to)
  const { header, widths, numeric } = view.loaded
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  const columnWidths = widths.map((width, column) =>
    Math.min(360, Math.max(header[column] === '' ? 104 : 72, 34 + width * 7.6)),
  )
  const numberWidth = 28 + 9 * String(view.loaded.rowCount).length

  const sortBy = (column: number) => {
    if (order?.column !== column) onOrder({ column, isDescending: false })
    else onOrder(order.isDescending ? null : { column, isDescending: true })
  }

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={scroller} className={styles.scroller} tabIndex={0} data-own-keys aria-label={t('preview.table')}>
      <table
        className={styles.table}
        aria-label={name}
        aria-rowcount={view.count + 1}
        aria-colcount={header.length + 1}
        style={{ inlineSize: columnWidths.reduce((sum, width) => sum + width, numberWidth) }}
      >
        <colgroup>
          <col style={{ inlineSize: numberWidth }} />
          {columnWidths.map((width, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
            <col key={column} style={{ inlineSize: width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" className={styles.corner}>
              <span className={styles.visuallyHidden}>{t('preview.rowNumber')}</span>
            </th>
            {header.map((title, column) => (
              <th
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
                key={column}
                scope="col"
                data-numeric={numeric[column]}
                aria-sort={order?.column !== column ? 'none' : order.isDescending ? 'descending' : 'ascending'}
              >
                <button type="button" onClick={() => sortBy(column)}>
                  <bdi>{title === '' ? t('preview.column', { number: column + 1 }) : title}</bdi>
                  {order?.column === column && <Icon name={order.isDescending ? 'chevron-down' : 'chevron-up'} small />}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <Gap size={before} />
        <tbody>
          {items.map(({ index }) => {
            const row = rowAt(index)
            return (
              <tr key={index} aria-rowindex={index + 2}>
                <th scope="row">{row?.number}</th>
                {header.map((_, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
                  <td key={column} data-numeric={numeric[column]} title={row?.fields[column]}>
                    <bdi>{row?.fields[column]}</bdi>
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
        <Gap size={after} />
      </table>
    </section>
  )
}

/** Takes the height of the rows that are not rendered. */
const Gap = ({ size }: { size: number }) =>
  size > 0 && (
    <tbody aria-hidden="true">
      <tr className={styles.gap} style={{ blockSize: size }} />
    </tbody>
  )
