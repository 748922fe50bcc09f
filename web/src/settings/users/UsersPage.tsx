import type { User } from '@filestead/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { compareNames } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { signInsQuery, usersQuery } from '../../server/queries/users.ts'
import { startSettings } from '../../server/start-settings.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Badge, Table } from '../../ui/Table.tsx'
import { FilterField } from '../forms/FilterField.tsx'
import { EditCell, NewLink, OpenRow } from '../forms/ListPage.tsx'
import { Page } from '../forms/Page.tsx'
import { offeredPermissions } from '../forms/permissions.ts'
import styles from './UsersPage.module.css'

export function UsersPage() {
  const { t } = useTranslation()
  return (
    <Page
      title={t('settings.users.management')}
      tabTitle={t('settings.users.title')}
      isWide
      actions={<NewLink to="/settings/users/new">{t('settings.users.new')}</NewLink>}
    >
      <UserTable />
    </Page>
  )
}

/** All accounts, by name. */
function UserTable() {
  const { t } = useTranslation()
  const { data } = useSuspenseQuery(usersQuery())
  const { data: signIns } = useSuspenseQuery(signInsQuery())
  const lastSignIns = new Map(signIns.map(({ userId, at }) => [userId, at]))
  const [filter, setFilter] = useState('')
  const wanted = filter.trim().toLocaleLowerCase()
  const users = data
    .filter(({ username, scope }) => `${username}\n${scope}`.toLocaleLowerCase().includes(wanted))
    .sort((a, b) => compareNames(a.username, b.username))

  return (
    <>
      <FilterField label={t('settings.users.filter')} value={filter} onChange={setFilter} />
      <Table
        label={t('settings.users.title')}
        columns={[
          { label: t('settings.username') },
          { label: t('settings.users.admin') },
          { label: t('settings.scope') },
          { label: t('settings.users.may') },
          { label: t('settings.users.lastSignIn') },
          { label: t('settings.actions'), isHidden: true },
        ]}
      >
        {users.map((user) => (
          <Row key={user.id} user={user} signedInAt={lastSignIns.get(user.id)} />
        ))}
      </Table>
      {users.length === 0 && (
        <p role="status" className={styles.none}>
          {t('settings.users.nobody')}
        </p>
      )}
    </>
  )
}

function Row({ user, signedInAt }: { user: User; signedInAt: number | undefined }) {
  const { t } = useTranslation()
  const address = `/settings/users/${user.id}`

  return (
    <OpenRow label={user.username} address={address}>
      <td>
        <span className={styles.user}>
          <Avatar name={user.username} isLarge />
          <bdi>{user.username}</bdi>
        </span>
      </td>
      <td data-label={t('settings.users.admin')}>
        {user.perm.admin ? (
          <Badge look="accent">{t('settings.users.yes')}</Badge>
        ) : (
          <span className={styles.muted}>{t('settings.users.no')}</span>
        )}
      </td>
      <td data-label={t('settings.scope')}>
        <code className={styles.scope} dir="ltr">
          {user.scope}
        </code>
      </td>
      <td className={styles.may}>
        <Rights user={user} />
      </td>
      <td data-label={t('settings.users.lastSignIn')} className={styles.muted}>
        {signedInAt === undefined ? t('settings.users.never') : <RelativeTime at={new Date(signedInAt * 1000)} />}
      </td>
      <EditCell to={address} label={withoutMarks(t('settings.users.edit', { username: user.username }))} />
    </OpenRow>
  )
}

function Rights({ user: { perm, rules } }: { user: User }) {
  const { t } = useTranslation()
  const granted = offeredPermissions.filter(
    (name) => name !== 'admin' && perm[name] && (name !== 'execute' || startSettings.EnableExec),
  )
  return (
    <span className={styles.rights}>
      {perm.admin && <Badge>{t('settings.users.everything')}</Badge>}
      {!perm.admin &&
        granted.map((name) => name !== 'admin' && <Badge key={name}>{t(`settings.users.rights.${name}`)}</Badge>)}
      {rules.length > 0 && <Badge look="warn">{t('settings.users.rules', { count: rules.length })}</Badge>}
    </span>
  )
}
