import { type SortKey, sortKeys } from '@filestead/contract'
import { useRef } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/Icon.tsx'
import { useRovingFocus } from '../../ui/roving-focus.ts'
import styles from './ColumnHeaders.module.css'
import { type ShownSorting, sortTexts } from './sorting.ts'

interface ColumnHeadersProps {
  sorting: ShownSorting | undefined
  onSort: ((by: SortKey) => void) | undefined
}

const columns = sortKeys.map((by) => ({ by, label: sortTexts[by].heading, sort: sortTexts[by].action }))

/** The names of the columns, which sort. They stay in sight; the keyboard stops here once. */
export function ColumnHeaders({ sorting, onSort }: ColumnHeadersProps) {
  const { t } = useTranslation()
  const row = useRef<HTMLDivElement>(null)
  useRovingFocus(row)
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    // biome-ignore lint/a11y/useFocusableInteractive: its buttons have the focus
    <div
      ref={row}
      role="row"
      aria-label={t('files.columns')}
      aria-rowindex={1}
      className={styles.columns}
      data-columns="true"
    >
      {columns.map(({ by, label, sort }) => (
        // biome-ignore lint/a11y/useSemanticElements: see the grid
        // biome-ignore lint/a11y/useFocusableInteractive: its button has the focus
        <div
          key={by}
          role="columnheader"
          className={styles.column}
          data-column={by}
          aria-label={t(label)}
          aria-sort={sorting?.by === by ? sorting.direction : 'none'}
        >
          {onSort === undefined ? (
            t(label)
          ) : (
            <button
              type="button"
              className={styles.sort}
              aria-label={t(sort)}
              title={t(sort)}
              onClick={() => onSort(by)}
            >
              {t(label)}
              {sorting?.by === by && (
                <Icon name={sorting.direction === 'ascending' ? 'arrow-up' : 'arrow-down'} small />
              )}
            </button>
          )}
        </div>
      ))}
      <span className={styles.type} aria-hidden="true">
        {t('files.type')}
      </span>
    </div>
  )
}
