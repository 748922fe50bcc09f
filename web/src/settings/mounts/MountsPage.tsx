import type { Mount } from '@filestead/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { rootsOf } from '../../files/rights/places.ts'
import { StorageMark } from '../../files/tree/StorageMark.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { mountsQuery } from '../../server/queries/mounts.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Badge, Table } from '../../ui/Table.tsx'
import { EditCell, NewLink, OpenRow } from '../forms/ListPage.tsx'
import { Page } from '../forms/Page.tsx'
import styles from './MountsPage.module.css'
import { isFirst } from './mount-fields.ts'
import { placeOf } from './storage-fields.ts'

/** The folders of the server that are served, each under its name. */
export function MountsPage() {
  const { t } = useTranslation()
  const { data } = useSuspenseQuery(mountsQuery())
  const mounts = rootsOf(data)
  return (
    <Page
      title={t('settings.mounts.title')}
      isWide
      actions={<NewLink to="/settings/mounts/new">{t('settings.mounts.new')}</NewLink>}
    >
      <p className={styles.lead}>{t('settings.mounts.text')}</p>
      <Table
        label={t('settings.mounts.title')}
        columns={[
          { label: t('settings.mounts.name') },
          { label: t('settings.mounts.location') },
          { label: t('settings.mounts.access') },
          { label: t('settings.mounts.state') },
          { label: t('settings.mounts.links') },
          { label: t('settings.actions'), isHidden: true },
        ]}
      >
        {mounts.map((mount) => (
          <Row key={mount.id} mount={mount} />
        ))}
      </Table>
      {mounts.length === 1 && (
        <p className={styles.hint}>
          <Icon name="info" small />
          {t('settings.mounts.onlyOne')}
        </p>
      )}
    </Page>
  )
}

function Row({ mount }: { mount: Mount }) {
  const { t } = useTranslation()
  const address = `/settings/mounts/${mount.id}`
  const hasLinks = mount.storage !== 's3'
  return (
    <OpenRow label={mount.name} address={address}>
      <td>
        <span className={styles.mount}>
          <StorageMark kind={mount.storage ?? 'disk'} />
          <bdi>{mount.name}</bdi>
        </span>
      </td>
      <td>
        {mount.storage !== undefined && <p className={styles.kind}>{t(`settings.mounts.kinds.${mount.storage}`)}</p>}
        <code className={styles.folder} dir="ltr">
          {placeOf(mount.folder ?? '')}
        </code>
      </td>
      <td data-label={t('settings.mounts.access')}>
        <AccessCount mount={mount} />
      </td>
      <td>
        <span className={styles.badges}>
          {mount.isAway ? (
            <Badge look="warn">{t('settings.mounts.away')}</Badge>
          ) : (
            <Badge look="accent">{t('settings.mounts.available')}</Badge>
          )}
          {mount.readOnly && <Badge>{t('settings.mounts.readOnly')}</Badge>}
          {mount.isFixed && !isFirst(mount) && <Badge>{t('settings.mounts.fixedBadge')}</Badge>}
        </span>
        {mount.isAway && mount.problem !== undefined && <p className={styles.problem}>{mount.problem}</p>}
      </td>
      <td data-label={hasLinks ? t('settings.mounts.links') : undefined} className={styles.muted}>
        {hasLinks && t(mount.links === 'outside' ? 'settings.mounts.linksOutside' : 'settings.mounts.linksInside')}
      </td>
      <EditCell to={address} label={withoutMarks(t('settings.mounts.edit', { name: mount.name }))} />
    </OpenRow>
  )
}

/** How many have rights in it. All users have their homes in the first one. */
function AccessCount({ mount }: { mount: Mount }) {
  const { t } = useTranslation()
  const count = mount.subjects ?? 0
  if (count === 0 && !isFirst(mount)) return <Badge look="warn">{t('settings.mounts.nobody')}</Badge>
  return [isFirst(mount) && t('settings.mounts.homes'), count > 0 && t('settings.mounts.subjects', { count })]
    .filter(Boolean)
    .join(', ')
}
