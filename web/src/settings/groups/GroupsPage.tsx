import type { Group } from '@filestead/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { compareNames } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { groupsQuery } from '../../server/queries/groups.ts'
import { usersQuery } from '../../server/queries/users.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Badge, Table } from '../../ui/Table.tsx'
import { FilterField } from '../forms/FilterField.tsx'
import { EditCell, NewLink, OpenRow } from '../forms/ListPage.tsx'
import { Page } from '../forms/Page.tsx'
import styles from './GroupsPage.module.css'

export function GroupsPage() {
  const { t } = useTranslation()
  const { data } = useSuspenseQuery(groupsQuery())
  const create = <NewLink to="/settings/groups/new">{t('settings.groups.new')}</NewLink>
  return (
    <Page title={t('settings.groups.title')} isWide actions={data.length > 0 && create}>
      {data.length === 0 ? (
        <EmptyState
          scene="empty"
          title={t('settings.groups.none')}
          text={t('settings.groups.noneText')}
          actions={create}
        />
      ) : (
        <GroupTable groups={data} />
      )}
    </Page>
  )
}

/** All groups, by name. */
function GroupTable({ groups }: { groups: readonly Group[] }) {
  const { t } = useTranslation()
  const { data: users } = useSuspenseQuery(usersQuery())
  const names = new Map(users.map(({ id, username }) => [id, username]))
  /** Where every group is kept here, there is nothing to tell. */
  const hasSources = groups.some(({ source }) => source !== 'local')
  const [filter, setFilter] = useState('')
  const wanted = filter.trim().toLocaleLowerCase()
  const shown = groups
    .filter(({ name }) => name.toLocaleLowerCase().includes(wanted))
    .sort((a, b) => compareNames(a.name, b.name))

  return (
    <>
      <FilterField label={t('settings.groups.filter')} value={filter} onChange={setFilter} />
      <Table
        label={t('settings.groups.title')}
        columns={[
          { label: t('settings.groups.name') },
          { label: t('settings.groups.members') },
          ...(hasSources ? [{ label: t('settings.groups.source') }] : []),
          { label: t('settings.actions'), isHidden: true },
        ]}
      >
        {shown.map((group) => (
          <Row key={group.id} group={group} names={names} hasSource={hasSources} />
        ))}
      </Table>
      {shown.length === 0 && (
        <p role="status" className={styles.none}>
          {t('settings.groups.noMatch')}
        </p>
      )}
    </>
  )
}

/** The names that a row has room for. */
const mostNames = 4

interface RowProps {
  group: Group
  names: ReadonlyMap<number, string>
  hasSource: boolean
}

function Row({ group, names, hasSource }: RowProps) {
  const { t } = useTranslation()
  const address = `/settings/groups/${group.id}`
  const first = group.members
    .slice(0, mostNames)
    .flatMap((id) => names.get(id) ?? [])
    .join(', ')
  return (
    <OpenRow label={group.name} address={address}>
      <td>
        <span className={styles.group}>
          <span className={styles.mark}>
            <Icon name="group" />
          </span>
          <bdi>{group.name}</bdi>
        </span>
      </td>
      <td className={styles.members}>
        {t('rights.picker.members', { count: group.members.length })}
        {first !== '' && (
          <bdi className={styles.names}>
            {first}
            {group.members.length > mostNames && ' …'}
          </bdi>
        )}
      </td>
      {hasSource && (
        <td data-label={t('settings.groups.source')}>
          <Badge>{t(`settings.groups.sources.${group.source}`)}</Badge>
        </td>
      )}
      <EditCell to={address} label={withoutMarks(t('settings.groups.edit', { name: group.name }))} />
    </OpenRow>
  )
}
