import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { Link } from '../../navigation/Link.tsx'
import { navigate } from '../../navigation/location.ts'
import { resourceQuery } from '../../server/queries/resources.ts'
import { isGuest } from '../../server/session.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { useRovingFocus } from '../../ui/roving-focus.ts'
import { stepsTo } from './Breadcrumbs.tsx'
import styles from './PhoneTitle.module.css'

/** The breadcrumbs of a phone: the way up with the name of the folder above, and all folders above behind the title. */
export function PhoneTitle({ path }: { path: string }) {
  const { t } = useTranslation()
  const nav = useRef<HTMLElement>(null)
  useRovingFocus(nav)
  const steps = [{ name: useTopName(path), path: '/' }, ...stepsTo(path)]
  const above = steps.slice(0, -1)
  const parent = above.at(-1)
  const here = steps.at(-1)

  return (
    <nav ref={nav} aria-label={t('files.breadcrumbs')} className={`breadcrumbs ${styles.title}`}>
      {parent !== undefined && (
        <Link to={folderAddress(parent.path)} className={styles.up}>
          <Icon name="chevron-left" />
          <bdi>{parent.name}</bdi>
        </Link>
      )}
      <span className={styles.here}>
        <Link to={folderAddress(path)} className={styles.name} aria-current="page">
          <bdi>{here?.name}</bdi>
        </Link>
        {above.length > 0 && (
          <Menu
            label={t('files.hiddenFolders')}
            sections={[
              above.map((step) => ({
                id: step.path,
                label: step.name,
                icon: step.path === '/' ? ('home' as const) : ('folder' as const),
                onSelect: () => void navigate(folderAddress(step.path)),
              })),
            ]}
            trigger={
              <button type="button" className={styles.unfold} aria-label={t('files.hiddenFolders')}>
                <Icon name="chevron-down" small />
              </button>
            }
          />
        )}
      </span>
    </nav>
  )
}

/** Where several root folders are at the top, one of them may be the home. */
function useTopName(path: string): string {
  const { t } = useTranslation()
  const { data: top } = useQuery({ ...resourceQuery('/'), enabled: false })
  if (isGuest()) return t('frame.files')
  return top?.can !== undefined || path.split('/')[1] === 'Home' ? t('frame.myFiles') : t('files.home')
}
