import type { ReactNode } from 'react'
import { IconButton } from '../ui/Button.tsx'
import styles from './ActivityTray.module.css'
import type { Activity } from './activities.ts'
import { focusContent } from './tray.ts'

interface TrayListProps {
  title: string
  closeLabel: string
  activity: Activity
  children: ReactNode
}

/** A list that is in the tray while a person looks at it. */
export function TrayList({ title, closeLabel, activity, children }: TrayListProps) {
  return (
    <section aria-label={title}>
      <header className={styles.head}>
        <h2>{title}</h2>
        <IconButton
          icon="x"
          label={closeLabel}
          small
          onClick={() => {
            activity.cancel()
            focusContent()
          }}
        />
      </header>
      {children}
    </section>
  )
}
