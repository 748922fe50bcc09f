import { type KeptItem, nameOf, parentOf } from '@filestead/contract'
import type { ReactNode } from 'react'
import { formatDay } from '../../i18n/format.ts'
import { t, useTranslation } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { Cell, type Places } from '../grid/Row.tsx'
import styles from './TrashList.module.css'
import { isEndNear, labelOf, type TrashEntry } from './trash-entries.ts'

/** The columns of the trash beside name and size: the original place, when it was deleted, and by whom. */
export const trashColumns: Places = {
  heading: <Headings />,
  texts: { modified: { heading: 'trash.deleted', action: 'trash.sortByDeleted' } },
  nameOf: labelOf,
  labelOf,
  sizeOf: (entry) => itemOf(entry)?.size,
  cellOf(entry) {
    const item = itemOf(entry)
    if (item === undefined) return null
    const above = parentOf(item.path)
    return (
      <>
        <Cell className={styles.place} title={item.path}>
          <bdi>{above === '/' ? t('frame.myFiles') : nameOf(above)}</bdi>
          {item.endsAt !== undefined && isEndNear(item) && (
            <span className={styles.ends}> · {t('trash.goes', { date: formatDay(new Date(item.endsAt)) })}</span>
          )}
        </Cell>
        <Cell className={styles.by} title={t(`trash.cause.${item.by}`)}>
          <bdi>{whoOf(item)}</bdi>
        </Cell>
      </>
    )
  },
}

const itemOf = (entry: Entry): KeptItem | undefined => (entry as Partial<TrashEntry>).item

const whoOf = ({ user, by }: KeptItem): string =>
  user?.name ?? (by === 'outside' ? t('trash.another') : t('files.noSize'))

function Headings() {
  const { t } = useTranslation()
  return (
    <>
      <Heading className={styles.placeHeading}>{t('trash.place')}</Heading>
      <Heading className={styles.byHeading}>{t('trash.by')}</Heading>
    </>
  )
}

const Heading = ({ className, children }: { className: string | undefined; children: ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: a heading in a row that is no table row
  // biome-ignore lint/a11y/useFocusableInteractive: nothing is sorted by it
  <div role="columnheader" className={className}>
    {children}
  </div>
)
