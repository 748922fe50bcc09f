import { join, segmentsOf } from '@filestead/contract'
import { useEffect, useRef } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { Link } from '../../navigation/Link.tsx'
import { navigate } from '../../navigation/location.ts'
import { can } from '../../server/session.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { useMedia } from '../../ui/media.ts'
import { useRovingFocus } from '../../ui/roving-focus.ts'
import { makeDropTarget } from '../grid/drag.ts'
import styles from './Breadcrumbs.module.css'

/** How many folders are shown; those between Home and them are in a menu. A phone shows the last one alone. */
const most = 3

/** The folders above the one in view. Entries and files can be dropped on each that is shown. */
export function Breadcrumbs({ path }: { path: string }) {
  const { t } = useTranslation()
  const nav = useRef<HTMLElement>(null)
  useRovingFocus(nav)
  const isNarrow = useMedia('narrow')
  const steps = stepsTo(path)
  const shown = steps.slice(isNarrow ? -1 : -most)
  const above = steps.slice(0, steps.length - shown.length)
  const isHomeShown = !isNarrow || steps.length === 0
  const hidden = isHomeShown ? above : [{ name: t('files.home'), path: '/' }, ...above]

  return (
    <nav ref={nav} aria-label={t('files.breadcrumbs')} className={`breadcrumbs ${styles.crumbs}`}>
      <ol className={styles.list}>
        {isHomeShown && (
          <li className={styles.step}>
            <Crumb path="/" isCurrent={steps.length === 0} label={t('files.home')}>
              {isNarrow ? <span>{t('files.home')}</span> : <Icon name="home" />}
            </Crumb>
          </li>
        )}
        {hidden.length > 0 && (
          <li className={styles.step}>
            <Menu
              label={t('files.hiddenFolders')}
              sections={[
                hidden.map((step) => ({
                  id: step.path,
                  label: step.name,
                  icon: step.path === '/' ? ('home' as const) : ('folder' as const),
                  onSelect: () => void navigate(folderAddress(step.path)),
                })),
              ]}
              trigger={
                <button type="button" className={styles.crumb} aria-label={t('files.hiddenFolders')}>
                  <Icon name="more" />
                </button>
              }
            />
          </li>
        )}
        {shown.map((step, index) => (
          <li key={step.path} className={styles.step}>
            <Crumb path={step.path} isCurrent={index === shown.length - 1}>
              <bdi>{step.name}</bdi>
            </Crumb>
          </li>
        ))}
      </ol>
    </nav>
  )
}

interface CrumbProps {
  path: string
  isCurrent: boolean
  label?: string
  children: React.ReactNode
}

function Crumb({ path, isCurrent, label, children }: CrumbProps) {
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(
    () => (link.current === null ? undefined : makeDropTarget(link.current, path, { canUpload: can('create') })),
    [path],
  )
  return (
    <Link
      ref={link}
      to={folderAddress(path)}
      className={styles.crumb}
      aria-label={label}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {children}
    </Link>
  )
}

function stepsTo(path: string): { name: string; path: string }[] {
  let parent = '/'
  return segmentsOf(path).map((name) => {
    parent = join(parent, name)
    return { name, path: parent }
  })
}
