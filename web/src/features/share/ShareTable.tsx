import type { ShareLink } from '@filestead/contract'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { copyLink } from '../../actions/copy-link.ts'
import { can } from '../../api/session.ts'
import { sharesQuery, shareUrl } from '../../api/shares.ts'
import { usersQuery } from '../../api/users.ts'
import { useBusy } from '../../forms/use-busy.ts'
import { compareNames, formatExact, formatRelative } from '../../i18n/format.ts'
import { Blank } from '../../ui/Blank.tsx'
import { IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Badge, RowActions, Table } from '../../ui/Table.tsx'
import { deleteShare } from './delete-share.ts'
import styles from './ShareTable.module.css'

/** One's own links; for an administrator those of everybody. */
export function ShareTable() {
  const { t } = useTranslation()
  const { data } = useSuspenseQuery(sharesQuery())
  const { data: users } = useQuery({ ...usersQuery(), enabled: can('admin') })
  const names = new Map(users?.map(({ id, username }) => [id, username]))
  const shares = [...data].sort((a, b) => compareNames(a.path, b.path) || a.expire - b.expire)

  if (shares.length === 0)
    return <Blank scene="empty" title={t('settings.shares.none')} text={t('settings.shares.noneText')} />
  const columns = [
    { label: t('settings.shares.path') },
    { label: t('settings.shares.duration') },
    ...(can('admin') ? [{ label: t('settings.username') }] : []),
    { label: t('settings.actions'), isHidden: true },
  ]

  return (
    <Table label={t('settings.shares.title')} columns={columns}>
      {shares.map((share) => (
        <Row key={share.hash} share={share} owner={can('admin') ? (names.get(share.userID) ?? '') : null} />
      ))}
    </Table>
  )
}

function Row({ share, owner }: { share: ShareLink; owner: string | null }) {
  const { t } = useTranslation()
  const deletion = useBusy(() => deleteShare(share))
  return (
    <tr aria-label={share.path}>
      <td>
        <a className={styles.path} href={shareUrl(share.hash)} target="_blank" rel="noopener" aria-label={share.path}>
          <bdi>{share.path}</bdi>
        </a>
        {share.hasPassword && (
          <span className={styles.lock}>
            <Badge>
              <Icon name="lock" small />
              {t('settings.shares.hasPassword')}
            </Badge>
          </span>
        )}
      </td>
      <td>
        <Duration expire={share.expire} />
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
          aria-description={share.path}
          onClick={() => void copyLink(shareUrl(share.hash))}
        />
        <IconButton icon="trash" label={t('buttons.delete')} aria-description={share.path} {...deletion} />
      </RowActions>
    </tr>
  )
}

function Duration({ expire }: { expire: number }) {
  const { t } = useTranslation()
  if (expire === 0) return t('settings.shares.permanent')
  const end = new Date(expire * 1000)
  return (
    <time dateTime={end.toISOString()} title={formatExact(end)}>
      {formatRelative(end)}
    </time>
  )
}
