import type { ShareLink } from '@filestead/contract'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { copyLink } from '../../commands/copy-link.ts'
import { deleteShare } from '../../files/sharing/delete-share.ts'
import { Expiry } from '../../files/sharing/Expiry.tsx'
import { compareNames } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { sharesQuery, shareUrl } from '../../server/queries/shares.ts'
import { usersQuery } from '../../server/queries/users.ts'
import { can } from '../../server/session.ts'
import { IconButton } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Badge, RowActions, Table } from '../../ui/Table.tsx'
import { useBusy } from '../forms/draft.ts'
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
  const names = new Map(users?.map(({ id, username }) => [id, username]))
  const shares = [...data].sort((a, b) => compareNames(a.path, b.path) || a.expire - b.expire)

  if (shares.length === 0)
    return <EmptyState scene="empty" title={t('settings.shares.none')} text={t('settings.shares.noneText')} />
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
        <Expiry expire={share.expire} />
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
