import { segmentsOf } from '@filestead/contract'
import { useTranslation } from '../i18n/i18n.ts'
import { shareAddress } from '../navigation/addresses.ts'
import { Link } from '../navigation/Link.tsx'
import look from '../ui/Crumbs.module.css'
import { Icon } from '../ui/Icon.tsx'
import styles from './ShareCrumbs.module.css'

/** The path from the root of the share. What is above it is not shown to visitors. */
export function ShareCrumbs({ hash, path, isDir }: { hash: string; path: string; isDir: boolean }) {
  const { t } = useTranslation()
  const segments = segmentsOf(path)
  return (
    <nav aria-label={t('files.breadcrumbs')} className={`breadcrumbs ${styles.crumbs}`}>
      <ol className={styles.list}>
        <li className={look.step}>
          <Link to={shareAddress(hash, { path: '/', isDir: true })} className={look.crumb} aria-label={t('files.home')}>
            <Icon name="home" />
          </Link>
        </li>
        {segments.map((segment, index) => {
          const path = `/${segments.slice(0, index + 1).join('/')}`
          const isLast = index === segments.length - 1
          return (
            <li key={path} className={look.step}>
              <Link
                className={look.crumb}
                to={shareAddress(hash, { path, isDir: isDir || !isLast })}
                aria-current={isLast ? 'page' : undefined}
              >
                <bdi>{segment}</bdi>
              </Link>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
