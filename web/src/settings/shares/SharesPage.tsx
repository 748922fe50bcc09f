import type { ShareLink } from '@filestead/contract'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { copyLink } from '../../commands/copy-link.ts'
import { deleteShare } from '../../files/sharing/delete-share.ts'
import { Expiry } from '../../files/sharing/Expiry.tsx'
import { compareNames, formatDay, formatExact } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { sharesQuery, shareUrl } from '../../server/queries/shares.ts'
import { usersQuery } from '../../server/queries/users.ts'
import { can } from '../../server/session.ts'
import { IconButton } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Badge, RowActions, Table } from '../../ui/Table.tsx'
import { useBusy } from '../forms/draft.ts'
import { FilterField } from '../forms/FilterField.tsx'
import { Page } from '../forms/Page.tsx'
import styles from './SharesPage.module.css'

export function SharesPage() {
  const { t } = useTranslation()
  return (
    <Page title={t('settings.shares.title')} isWide>
      <ShareTable />
    </Page>
  )
}

/** The links of the user; for an administrator those of all users. */
function ShareTable() {
  const { t } = useTranslation()
  const { data } = useSuspenseQuery(sharesQuery())
  const { data: users } = useQuery({ ...usersQuery(), enabled: can('admin') })
  const [filter, setFilter] = useState('')
  const names = new Map(users?.map(({ id, username }) => [id, username]))
  const ownerOf = ({ userID }: ShareLink) => (can('admin') ? (names.get(userID) ?? '') : null)
  const wanted = filter.trim().toLocaleLowerCase()
  const shares = data
    .filter((share) =>
      [share.path, share.label, ownerOf(share), shareUrl(share.hash)].join('\n').toLocaleLowerCase().includes(wanted),
    )
    .sort((a, b) => compareNames(nameOf(a), nameOf(b)) || (b.created ?? 0) - (a.created ?? 0))

  if (data.length === 0)
    return <EmptyState scene="empty" title={t('settings.shares.none')} text={t('settings.shares.noneText')} />
  const columns = [
    { label: t('settings.shares.path') },
    { label: t('settings.shares.duration') },
    { label: t('settings.shares.created') },
    ...(can('admin') ? [{ label: t('settings.username') }] : []),
    { label: t('settings.actions'), isHidden: true },
  ]

  return (
    <>
      <FilterField label={t('settings.shares.search')} value={filter} onChange={setFilter} />
      <Table label={t('settings.shares.title')} columns={columns}>
        {shares.map((share) => (
          <Row key={share.hash} share={share} owner={ownerOf(share)} />
        ))}
      </Table>
      <p role="status" className={styles.none}>
        {shares.length === 0 && t('settings.shares.noMatch')}
      </p>
    </>
  )
}

/** A link whose file its owner does not see any more has no path, and goes by its address. */
const nameOf = ({ path, hash }: ShareLink): string => path || shareUrl(hash)

function Row({ share, owner }: { share: ShareLink; owner: string | null }) {
  const { t } = useTranslation()
  const url = shareUrl(share.hash)
  const name = nameOf(share)
  const deletion = useBusy(() => deleteShare({ hash: share.hash, path: name }))
  return (
    <tr aria-label={name}>
      <td>
        <a className={styles.path} href={url} target="_blank" rel="noopener" aria-label={name}>
          <bdi>{name}</bdi>
        </a>
        {share.hasPassword && (
          <span className={styles.lock}>
            <Badge>
              <Icon name="lock" small />
              {t('settings.shares.hasPassword')}
            </Badge>
          </span>
        )}
        {share.label !== undefined && <bdi className={styles.label}>{share.label}</bdi>}
      </td>
      <td>
        <Expiry expire={share.expire} />
      </td>
      <td data-label={share.created === undefined ? undefined : t('settings.shares.created')}>
        {share.created !== undefined && <Day at={new Date(share.created * 1000)} />}
      </td>
      {owner !== null && (
        <td data-label={t('settings.username')}>
          <bdi>{owner}</bdi>
        </td>
      )}
      <RowActions>
        <IconButton
          icon="copy"
          label={t('buttons.copyToClipboard')}
          aria-description={name}
          onClick={() => void copyLink(url)}
        />
        <IconButton icon="trash" label={t('buttons.delete')} aria-description={name} {...deletion} />
      </RowActions>
    </tr>
  )
}

const Day = ({ at }: { at: Date }) => (
  <time dateTime={at.toISOString()} title={formatExact(at)}>
    {formatDay(at)}
  </time>
)
