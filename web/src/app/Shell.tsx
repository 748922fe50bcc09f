import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { can, useSession } from '../api/session.ts'
import { Uploads } from '../features/upload/Uploads.tsx'
import { useLocation } from '../navigation/location.ts'
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

  function toggle() {
    if (narrow.matches) return setIsDrawerOpen(!isDrawerOpen)
    localStorage.setItem(storageKey, isWide ? 'rail' : 'wide')
    setIsWide(!isWide)
  }

  return (
    <SidebarContext value={{ isDrawerOpen, toggle }}>
      <div className={styles.app} data-sidebar={isWide ? 'wide' : 'rail'} data-drawer={isDrawerOpen}>
        {/* biome-ignore lint/a11y/useValidAnchor: it is a link, followed by hand */}
        <a className={styles.skip} href="#content" onClick={skipToContent}>
          {t('frame.skip')}
        </a>
        <Sidebar isWide={isWide || isDrawerOpen} isOpen={isDrawerOpen} onToggle={toggle} />
        {isDrawerOpen && (
          <div className={styles.scrim} aria-hidden="true" onPointerDown={() => setIsDrawerOpen(false)} />
        )}
        {children}
        {mayUpload && <Uploads />}
      </div>
    </SidebarContext>
  )
}

/** By hand, so that the address stays as it is. */
function skipToContent(event: { preventDefault(): void }): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}
