import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { can, useSession } from '../api/session.ts'
import { Uploads } from '../features/upload/Uploads.tsx'
import { useLocation } from '../navigation/location.ts'
import { SkipLink } from '../ui/SkipLink.tsx'
import { SidebarContext } from '../ui/sidebar.ts'
import styles from './Shell.module.css'
import { Sidebar } from './Sidebar.tsx'

const narrow = matchMedia('(max-width: 736px)')
const storageKey = 'filestead.sidebar'

/** The frame of every screen but the login: the sidebar beside a panel. On a phone the sidebar is a drawer. */
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const mayUpload = useSession() !== null && can('create')
  const [isWide, setIsWide] = useState(() => localStorage.getItem(storageKey) !== 'rail')
  const [isDrawerOpen, setIsDrawerOpen] = useState(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: going somewhere closes the drawer
  useEffect(() => setIsDrawerOpen(false), [pathname])

  const closeDrawer = () => setIsDrawerOpen(false)

  // The button that was pressed gives way to its twin, and the focus with it.
  useLayoutEffect(() => {
    if (!isDrawerOpen) return
    focusToggle()
    const onKeyDown = (event: KeyboardEvent) => event.key === 'Escape' && setIsDrawerOpen(false)
    addEventListener('keydown', onKeyDown)
    return () => {
      removeEventListener('keydown', onKeyDown)
      // Unless what the drawer opened has taken it meanwhile.
      requestAnimationFrame(() => document.activeElement?.closest('[role=dialog]') == null && focusToggle())
    }
  }, [isDrawerOpen])

  function toggle() {
    if (narrow.matches) return setIsDrawerOpen(!isDrawerOpen)
    localStorage.setItem(storageKey, isWide ? 'rail' : 'wide')
    setIsWide(!isWide)
  }

  return (
    <SidebarContext value={{ isDrawerOpen, toggle }}>
      <div className={styles.app} data-sidebar={isWide ? 'wide' : 'rail'} data-drawer={isDrawerOpen}>
        <SkipLink label={t('frame.skip')} />
        <Sidebar isWide={isWide || isDrawerOpen} isOpen={isDrawerOpen} onToggle={toggle} onDone={closeDrawer} />
        {isDrawerOpen && <div className={styles.scrim} aria-hidden="true" onPointerDown={closeDrawer} />}
        {children}
        {mayUpload && <Uploads />}
      </div>
    </SidebarContext>
  )
}

/** Of the two buttons that open and close the sidebar, the one that can be seen. */
function focusToggle(): void {
  const buttons = document.querySelectorAll<HTMLElement>('[data-toggles="sidebar"]')
  ;[...buttons].find((button) => button.checkVisibility({ visibilityProperty: true }))?.focus()
}
