import { sortKeys } from '@filestead/contract'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/Icon.tsx'
import { useRovingFocus } from '../../ui/roving-focus.ts'
import styles from './ColumnHeaders.module.css'
import { type Column, columns, type ShownSorting, type SortTexts, sortTexts } from './sorting.ts'

interface ColumnHeadersProps {
  /** How many of the rows are selected. */
  selected: 'none' | 'some' | 'all'
  onSelectAll: (isSelected: boolean) => void
  sorting: ShownSorting | undefined
  onSort: ((by: Column) => void) | undefined
  /** Stands instead of the type. */
  place: ReactNode
  /** Columns that are called otherwise than in a folder. */
  texts?: Partial<SortTexts> | undefined
}

/** The names of the columns, which sort. They stay in sight; the keyboard stops here once. */
export function ColumnHeaders({ selected, onSelectAll, sorting, onSort, place, texts }: ColumnHeadersProps) {
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
      {(place === undefined ? columns : sortKeys).map((by) => {
        const { heading, action } = texts?.[by] ?? sortTexts[by]
        return (
          // biome-ignore lint/a11y/useSemanticElements: see the grid
          // biome-ignore lint/a11y/useFocusableInteractive: its button has the focus
          <div
            key={by}
            role="columnheader"
            className={styles.column}
            data-column={by}
            aria-label={t(heading)}
            aria-sort={sorting?.by === by ? sorting.direction : 'none'}
          >
            {by === 'name' && <SelectAll selected={selected} onChange={onSelectAll} />}
            {onSort === undefined ? (
              t(heading)
            ) : (
              <button
                type="button"
                className={styles.sort}
                aria-label={t(action)}
                data-tip={t(action)}
                onClick={() => onSort(by)}
              >
                {t(heading)}
                {sorting?.by === by && (
                  <Icon name={sorting.direction === 'ascending' ? 'arrow-up' : 'arrow-down'} small />
                )}
              </button>
            )}
          </div>
        )
      })}
      {place}
    </div>
  )
}

/** For the pointer, as the boxes of the rows are: the keyboard has Ctrl+A and Escape. */
function SelectAll({ selected, onChange }: { selected: ColumnHeadersProps['selected']; onChange(to: boolean): void }) {
  const { t } = useTranslation()
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = selected === 'some'
  }, [selected])
  return (
    <input
      ref={box}
      type="checkbox"
      className={styles.all}
      tabIndex={-1}
      aria-label={t('files.selectAll')}
      data-tip={t('files.selectAll')}
      checked={selected === 'all'}
      onChange={() => onChange(selected !== 'all')}
    />
  )
}
