import { IconButton } from './Button.tsx'
import styles from './DrawerButton.module.css'
import { useSidebar } from './sidebar.ts'

/** The hamburger. Only a phone shows it: elsewhere the sidebar has its own. */
export function DrawerButton({ label }: { label: string }) {
  const { isDrawerOpen, toggle } = useSidebar()
  return (
    // While the drawer is open its own button lies over this one.
    <span className={styles.narrowOnly} data-drawer={isDrawerOpen}>
      <IconButton icon="menu" label={label} aria-expanded={isDrawerOpen} data-toggles="sidebar" onClick={toggle} />
    </span>
  )
}
