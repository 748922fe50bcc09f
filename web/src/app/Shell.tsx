import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react'
import { ActivityCentre } from '../activity/ActivityCentre.tsx'
import { useKeys } from '../commands/keyboard.ts'
import { Uploads } from '../files/upload/Uploads.tsx'
import { useTranslation } from '../i18n/i18n.ts'
import { useLocation } from '../navigation/location.ts'
import { can, useSession } from '../server/session.ts'
import { note } from '../state/personal-storage.ts'
import { useMedia } from '../ui/media.ts'
import { SkipLink } from '../ui/SkipLink.tsx'
import { SidebarContext } from '../ui/sidebar.ts'
import styles from './Shell.module.css'
import { Sidebar } from './Sidebar.tsx'

const storageKey = 'filestead.sidebar'

// The width that was chosen is there before the first screen; what changes it comes later, see SidebarResizer.tsx.
const width = Number(localStorage.getItem('filestead.sidebar-width'))
if (width > 0) document.documentElement.style.setProperty('--sidebar-w', `${width}px`)

/** The frame of every screen but the login: the sidebar beside a panel. On a phone the sidebar is a drawer. */
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const address = useLocation()
  const mayUpload = useSession() !== null && can('create')
  // A window of less than 1024 px begins with the rail, whatever was chosen for a wider one.
  const isCompact = useMedia('compact')
  const [isChosenWide, setIsChosenWide] = useState(() => localStorage.getItem(storageKey) !== 'rail')
  const [isOpenedHere, setIsOpenedHere] = useState(false)
  const isWide = isCompact ? isOpenedHere : isChosenWide
  const [isDrawerOpen, setIsDrawerOpen] = useState(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: going somewhere closes the drawer, also to the page in view
  useEffect(() => setIsDrawerOpen(false), [address])

  // A window that has become wider shows the sidebar beside the page.
  const isNarrow = useMedia('narrow')
  const isModal = isNarrow && isDrawerOpen
  const closeDrawer = () => setIsDrawerOpen(false)
  useKeys({ Escape: closeDrawer }, { isOn: isDrawerOpen })

  // The button that was pressed gives way to its twin, and the focus with it.
  useLayoutEffect(() => {
    if (!isDrawerOpen) return
    focusToggle()
    return () => {
      // Unless what the drawer opened has taken it meanwhile.
      requestAnimationFrame(() => document.activeElement?.closest('[role=dialog]') == null && focusToggle())
    }
  }, [isDrawerOpen])

  function toggle() {
    if (isNarrow) return setIsDrawerOpen(!isDrawerOpen)
    if (isCompact) return setIsOpenedHere(!isOpenedHere)
    note(localStorage, storageKey, isWide ? 'rail' : 'wide')
    setIsChosenWide(!isWide)
  }

  return (
    <SidebarContext value={{ isDrawerOpen, toggle }}>
      <div className={styles.app} data-sidebar={isWide ? 'wide' : 'rail'} data-drawer={isDrawerOpen}>
        {!isModal && <SkipLink label={t('frame.skip')} />}
        <Sidebar isWide={isWide || isDrawerOpen} isOpen={isDrawerOpen} onToggle={toggle} onDone={closeDrawer} />
        {isDrawerOpen && <div className={styles.scrim} aria-hidden="true" onClick={closeDrawer} />}
        <div className={styles.page} inert={isModal}>
          {children}
          {mayUpload && <Uploads />}
          <ActivityCentre />
        </div>
      </div>
    </SidebarContext>
  )
}

/** Of the two buttons that open and close the sidebar, the one that can be seen. */
function focusToggle(): void {
  const buttons = document.querySelectorAll<HTMLElement>('[data-toggles="sidebar"]')
  ;[...buttons].find((button) => button.checkVisibility({ visibilityProperty: true }))?.focus()
}
