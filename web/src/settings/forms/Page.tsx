import type { ReactNode } from 'react'
import { useTitle } from '../../navigation/title.ts'
import styles from './Page.module.css'

interface PageProps {
  title: string
  /** What the tab of the browser is called, where that is something else. */
  tabTitle?: string
  /** Tables use the room there is. */
  isWide?: boolean
  /** Stands beside the title. */
  actions?: ReactNode
  children: ReactNode
}

export function Page({ title, tabTitle = title, isWide = false, actions, children }: PageProps) {
  useTitle(tabTitle)
  return (
    <div className={styles.page} data-wide={isWide}>
      <div className={styles.head}>
        <h2 className={styles.title}>{title}</h2>
        {actions}
      </div>
      {children}
    </div>
  )
}
