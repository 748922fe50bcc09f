import { segmentsOf } from '@filestead/contract'
import { useTranslation } from 'react-i18next'
import { shareAddress } from '../../navigation/addresses.ts'
import { Link } from '../../navigation/Link.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './ShareCrumbs.module.css'

/** The way back to what was shared. Whatever lies above that is nobody's business here. */
export function ShareCrumbs({ hash, path }: { hash: string; path: string }) {
  const { t } = useTranslation()
  const segments = segmentsOf(path)
  return (
    <nav aria-label={t('visit.breadcrumbs')} className={`breadcrumbs ${styles.crumbs}`}>
      <ol className={styles.list}>
        <li>
          <Link to={shareAddress(hash, '/')} aria-label={t('visit.root')}>
            <Icon name="home" />
          </Link>
        </li>
        {segments.map((segment, index) => {
          const to = `/${segments.slice(0, index + 1).join('/')}`
          return (
            <li key={to}>
              <Link to={shareAddress(hash, to)} aria-current={index === segments.length - 1 ? 'page' : undefined}>
                <bdi>{segment}</bdi>
              </Link>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
