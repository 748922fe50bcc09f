import { useState } from 'react'
import { FolderLink } from '../../files/rights/FolderLink.tsx'
import { RightsButton } from '../../files/rights/RightsButton.tsx'
import type { RightsData } from '../../files/rights/rights-data.ts'
import { SubjectName } from '../../files/rights/SubjectName.tsx'
import { bySubject } from '../../files/rights/who.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import type { Column, FolderRow } from './access-table.ts'
import styles from './FolderList.module.css'

interface FolderListProps {
  rows: readonly FolderRow[]
  data: RightsData
  onEdit: (row: FolderRow, subject: Column | null) => void
}

/** So many folders at once: more cost a phone seconds. */
const step = 50

/** The table where it has no room: folder by folder, each with its grants. */
export function FolderList({ rows, data, onEdit }: FolderListProps) {
  const { t } = useTranslation()
  const [count, setCount] = useState(step)
  return (
    <>
      <ul className={styles.folders} aria-label={t('rights.byFolder')}>
        {rows.slice(0, count).map((row) => (
          <li key={row.key} aria-label={row.name}>
            <header>
              <FolderLink place={row.place} data={data} />
              <IconButton
                icon="plus"
                label={t('rights.give')}
                aria-description={row.name}
                onClick={() => onEdit(row, null)}
              />
            </header>
            <ul>
              {[...row.grants.values()].sort(bySubject).map((grant) => (
                <li key={grant.id} aria-label={withoutMarks(grant.name)}>
                  <SubjectName of={grant} />
                  <RightsButton of={grant} rights={grant.rights} onClick={() => onEdit(row, grant)} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {rows.length > count && (
        <Button look="link" onClick={() => setCount(count + step)}>
          {t('rights.picker.showMore', { count: rows.length - count })}
        </Button>
      )}
    </>
  )
}
