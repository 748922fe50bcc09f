import type { Grant, Subject } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { ask } from '../../dialogs/ask.ts'
import { GrantDialog } from '../../files/rights/GrantDialog.tsx'
import { rootsOf } from '../../files/rights/places.ts'
import { type RightsData, useRightsData } from '../../files/rights/rights-data.ts'
import { nameOfSubject } from '../../files/rights/subjects.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { currentLocation } from '../../navigation/location.ts'
import { grantsQuery } from '../../server/queries/grants.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { useMedia } from '../../ui/media.ts'
import { FilterField } from '../forms/FilterField.tsx'
import { Page } from '../forms/Page.tsx'
import styles from './AccessPage.module.css'
import { type AccessFilter, accessTable, type Column, type FolderRow } from './access-table.ts'
import { FolderList } from './FolderList.tsx'
import { Matrix } from './Matrix.tsx'
import { OnePerson } from './OnePerson.tsx'

/** Who may do what in which folder: all of it, or what comes of it for one person. */
export function AccessPage() {
  const { t } = useTranslation()
  const { data } = useRightsData()
  const { data: grants } = useQuery(grantsQuery())
  const [view, setView] = useState<'folders' | 'person'>('folders')
  const [filter, setFilter] = useState(filterOfAddress)
  if (data === undefined || grants === undefined) return null
  const { subject } = filter
  // Opened from the page of a group, it gives access to that group.
  const known = subject === null || view === 'person' ? {} : { subject: { subject, name: nameIn(data, subject) } }
  const give = (
    <Button look="primary" icon="plus" onClick={() => void ask(GrantDialog, { data, ...known })}>
      {t('rights.give')}
    </Button>
  )
  const isEmpty = grants.length === 0 && view === 'folders'
  return (
    <Page title={t('rights.title')} isWide actions={isEmpty ? undefined : give}>
      <fieldset className={styles.views} aria-label={t('rights.views')}>
        <button type="button" aria-pressed={view === 'folders'} onClick={() => setView('folders')}>
          {t('rights.byFolder')}
        </button>
        <button type="button" aria-pressed={view === 'person'} onClick={() => setView('person')}>
          {t('rights.byPerson')}
        </button>
      </fieldset>
      {view === 'person' && <OnePerson data={data} grants={grants} />}
      {isEmpty && <EmptyState scene="empty" title={t('rights.none')} text={t('rights.noneText')} actions={give} />}
      {view === 'folders' && !isEmpty && <Folders data={data} grants={grants} filter={filter} onFilter={setFilter} />}
    </Page>
  )
}

/** Links of other pages lead to what one group has, or to one root folder. */
function filterOfAddress(): AccessFilter {
  const search = new URLSearchParams(currentLocation().search)
  const mount = Number(search.get('mount'))
  return { text: '', subject: search.get('subject'), mount: mount > 0 ? mount : null }
}

interface FoldersProps {
  data: RightsData
  grants: readonly Grant[]
  filter: AccessFilter
  onFilter: (filter: AccessFilter) => void
}

function Folders({ data, grants, filter, onFilter: setFilter }: FoldersProps) {
  const { t } = useTranslation()
  const isNarrow = useMedia('narrow')
  // Thousands of rows are made anew behind the field, which takes the next letter meanwhile.
  const wanted = useDeferredValue(filter)
  const table = useMemo(() => accessTable(grants, data.mounts, wanted), [grants, data.mounts, wanted])

  function edit({ place, grants }: FolderRow, subject: Column | null) {
    const grant = subject === null ? undefined : grants.get(subject.subject)
    if (grant !== undefined) void ask(GrantDialog, { data, grant })
    else void ask(GrantDialog, { data, place, ...(subject !== null && { subject }) })
  }

  return (
    <>
      <div className={styles.filters}>
        <FilterField
          label={t('rights.filter')}
          value={filter.text}
          onChange={(text) => setFilter({ ...filter, text })}
        />
        {filter.subject !== null && (
          <Chip onRemove={() => setFilter({ ...filter, subject: null })}>{nameIn(data, filter.subject)}</Chip>
        )}
        {filter.mount !== null && (
          <Chip onRemove={() => setFilter({ ...filter, mount: null })}>
            {rootsOf(data.mounts).find(({ id }) => id === filter.mount)?.name ?? ''}
          </Chip>
        )}
      </div>
      {table.rows.length > 0 &&
        (isNarrow ? (
          <FolderList rows={table.rows} data={data} onEdit={edit} />
        ) : (
          <Matrix table={table} data={data} onEdit={edit} />
        ))}
      <p role="status" className={styles.none}>
        {table.rows.length === 0 && t('rights.noMatch')}
      </p>
    </>
  )
}

/** A filter that is on, with a button that takes it away. */
function Chip({ onRemove, children }: { onRemove: () => void; children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <button
      type="button"
      className={styles.chip}
      aria-label={t('rights.showAll')}
      data-tip={t('rights.showAll')}
      onClick={onRemove}
    >
      <bdi>{children}</bdi>
      <Icon name="x" small />
    </button>
  )
}

function nameIn({ users, groups }: RightsData, subject: Subject): string {
  const id = Number(subject.split(':')[1])
  const name = subject.startsWith('group:')
    ? groups.find((group) => group.id === id)?.name
    : users.find((user) => user.id === id)?.username
  return nameOfSubject({ subject, name: name ?? subject })
}
