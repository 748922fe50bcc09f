import type { ReactNode } from 'react'
import styles from './EmptyState.module.css'
import { Scene } from './Icon.tsx'
import type { SceneName } from './scenes.tsx'

interface EmptyStateProps {
  scene: SceneName
  title: string
  /** 1 where the message is the page, 2 where it stands inside one. */
  level?: 1 | 2
  text?: ReactNode
  /** The way forward. */
  actions?: ReactNode
  isAlert?: boolean
}

/** What stands where content would: nothing here, not found, not allowed, not reachable. */
export function EmptyState({ scene, title, level = 2, text, actions, isAlert = false }: EmptyStateProps) {
  const Heading = `h${level}` as const
  return (
    <div className={`message ${styles.state}`} role={isAlert ? 'alert' : undefined}>
      <Scene name={scene} />
      <Heading className={styles.title}>{title}</Heading>
      {text !== undefined && <p className={styles.text}>{text}</p>}
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </div>
  )
}
