import { join, segmentsOf } from '@filestead/contract'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { Link } from '../../navigation/Link.tsx'
import { navigate } from '../../navigation/location.ts'
import { can } from '../../server/session.ts'
import look from '../../ui/Crumbs.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { useRovingFocus } from '../../ui/roving-focus.ts'
import { useDragging } from '../grid/dragging.ts'
import styles from './Breadcrumbs.module.css'

/** How many folders are shown at the most; those between Home and them are in a menu. */
const most = 3

/**
 * The folders above the one in view, and that one; or those above a file. Entries and files can be dropped on each that
 * is shown. Those that there is no room for are in the menu as well, beginning with the first.
 */
export function Breadcrumbs({ path, isAboveFile = false }: { path: string; isAboveFile?: boolean }) {
  const { t } = useTranslation()
  const nav = useRef<HTMLElement>(null)
  useRovingFocus(nav)
  const steps = stepsTo(path)
  const hiddenCount = useHiddenCount(nav, path, steps.length)
  const shown = steps.slice(hiddenCount)
  const hidden = steps.slice(0, hiddenCount)

  return (
    <nav ref={nav} aria-label={t('files.breadcrumbs')} className={`breadcrumbs ${styles.crumbs}`}>
      <ol className={styles.list}>
        <li className={look.step}>
          <Crumb path="/" isCurrent={steps.length === 0 && !isAboveFile} label={t('files.home')}>
            <Icon name="home" />
          </Crumb>
        </li>
        {hidden.length > 0 && (
          <li className={look.step}>
            <Menu
              label={t('files.hiddenFolders')}
              sections={[
                hidden.map((step) => ({
                  id: step.path,
                  label: step.name,
                  icon: 'folder' as const,
                  onSelect: () => void navigate(folderAddress(step.path)),
                })),
              ]}
              trigger={
                <button type="button" className={look.crumb} aria-label={t('files.hiddenFolders')}>
                  <Icon name="more" />
                </button>
              }
            />
          </li>
        )}
        {shown.map((step, index) => (
          <li key={step.path} className={look.step}>
            <Crumb path={step.path} isCurrent={index === shown.length - 1 && !isAboveFile}>
              <bdi>{step.name}</bdi>
            </Crumb>
          </li>
        ))}
      </ol>
    </nav>
  )
}

/** How many of the folders are left out. Of a new path, and after each change of the width, as many as allowed are tried first. */
function useHiddenCount(nav: RefObject<HTMLElement | null>, path: string, length: number): number {
  const [fit, setFit] = useState({ tried: '', count: 0 })
  const hidden = fit.tried === path ? fit.count : Math.max(0, length - most)
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a change of the width it is measured again
  useLayoutEffect(() => {
    const element = nav.current
    // One folder is always shown: to measure it would only hold up the page.
    if (element === null || length < 2) return
    const { clientWidth, scrollWidth } = element
    if (scrollWidth > clientWidth && hidden < length - 1) setFit({ tried: path, count: hidden + 1 })
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== clientWidth) setFit({ tried: '', count: 0 })
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [nav, path, length, hidden, fit])
  return hidden
}

interface CrumbProps {
  path: string
  isCurrent: boolean
  label?: string
  children: React.ReactNode
}

function Crumb({ path, isCurrent, label, children }: CrumbProps) {
  const link = useRef<HTMLAnchorElement>(null)
  const dragging = useDragging()
  useEffect(() => {
    if (link.current === null) return
    const onSpring = isCurrent ? undefined : () => void navigate(folderAddress(path))
    return dragging?.makeDropTarget(link.current, path, { canUpload: can('create'), ...(onSpring && { onSpring }) })
  }, [path, isCurrent, dragging])
  return (
    <Link
      ref={link}
      to={folderAddress(path)}
      className={look.crumb}
      aria-label={label}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {children}
    </Link>
  )
}

/** The folders on the way to it, itself included. */
export function stepsTo(path: string): { name: string; path: string }[] {
  let parent = '/'
  return segmentsOf(path).map((name) => {
    parent = join(parent, name)
    return { name, path: parent }
  })
}
