import type { Grant, Group } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { nameOfPlace } from '../../files/rights/places.ts'
import { listOfRights, nameOfRights } from '../../files/rights/subjects.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { mountsQuery } from '../../server/queries/mounts.ts'
import { Badge } from '../../ui/Table.tsx'
import { Section } from '../forms/Form.tsx'
import styles from './GroupFolders.module.css'

/** The page about access has the rest. */
const mostShown = 20

/** Where the group has rights of its own: to be read here, and changed on the page about access. */
export function GroupFolders({ group, grants }: { group: Group; grants: readonly Grant[] | undefined }) {
  const { t } = useTranslation()
  const { data: mounts = [] } = useQuery(mountsQuery())
  const more = (grants?.length ?? 0) - mostShown
  const address = `/settings/access?subject=group:${group.id}`

  return (
    <Section title={t('settings.groups.folders')} text={t('settings.groups.foldersText')}>
      {grants?.length === 0 && <p className={styles.none}>{t('settings.groups.noFolders')}</p>}
      {grants !== undefined && grants.length > 0 && (
        <ul className={styles.list} aria-label={t('settings.groups.folders')}>
          {grants.slice(0, mostShown).map((grant) => (
            <li key={grant.id}>
              <bdi className={styles.path}>{nameOfPlace(grant, mounts)}</bdi>
              <Badge title={listOfRights(grant.rights)}>{nameOfRights(grant.rights)}</Badge>
            </li>
          ))}
        </ul>
      )}
      <Link to={address} className={styles.link}>
        {more > 0 ? t('settings.groups.moreFolders', { count: more }) : t('settings.groups.changeFolders')}
      </Link>
    </Section>
  )
}
