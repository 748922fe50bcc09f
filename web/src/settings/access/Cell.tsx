import { presetOf } from '../../files/rights/presets.ts'
import { listOfRights, nameOfRights, nameOfSubject } from '../../files/rights/subjects.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { Icon } from '../../ui/Icon.tsx'
import { NamedText } from '../../ui/NamedText.tsx'
import type { Column, FolderRow } from './access-table.ts'
import styles from './Cell.module.css'

interface CellProps {
  column: Column
  row: FolderRow
  position: string
  isActive: boolean
  onFocus: () => void
  onClick: () => void
}

/** What a subject may do in a folder by a grant for this very folder; a sign that offers one where there is none. */
export function Cell({ column, row, position, isActive, onFocus, onClick }: CellProps) {
  const { t } = useTranslation()
  const rights = row.grants.get(column.subject)?.rights
  const preset = rights === undefined ? undefined : presetOf(rights)
  const name = withoutMarks(t('rights.cell', { name: nameOfSubject(column), folder: row.name }))
  const said = rights === undefined ? t('rights.give') : listOfRights(rights)
  return (
    <button
      type="button"
      className={styles.cell}
      tabIndex={isActive ? 0 : -1}
      aria-label={rights === undefined ? name : undefined}
      aria-description={said}
      data-cell={position}
      data-kind={preset === null ? 'custom' : preset}
      data-tip={said}
      onFocus={onFocus}
      onClick={onClick}
    >
      {rights === undefined ? (
        <Icon name="plus" small />
      ) : (
        <NamedText name={name} shown={preset === null ? said : nameOfRights(rights)} />
      )}
    </button>
  )
}
