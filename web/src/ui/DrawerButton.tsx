import { IconButton } from './Button.tsx'
import styles from './DrawerButton.module.css'
import { useSidebar } from './sidebar.ts'

/** The hamburger. Only a phone shows it: elsewhere the sidebar has its own. */
export function DrawerButton({ label }: { label: string }) {
  const { isDrawerOpen, toggle } = useSidebar()
  return (
    <span className={styles.narrowOnly}>
      <IconButton icon="menu" label={label} aria-expanded={isDrawerOpen} onClick={toggle} />
    </span>
  )
}
