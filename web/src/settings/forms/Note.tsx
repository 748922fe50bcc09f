import type { ReactNode } from 'react'
import { Icon } from '../../ui/Icon.tsx'
import styles from './Note.module.css'

interface NoteProps {
  title?: string
  look?: 'plain' | 'warn'
  children: ReactNode
}

/** What is worth knowing before one goes on. */
export const Note = ({ title, look = 'plain', children }: NoteProps) => (
  <div role="note" aria-label={title} className={styles.note} data-look={look}>
    <Icon name={look === 'warn' ? 'warn' : 'info'} />
    <div>
      {title !== undefined && <strong>{title}</strong>}
      <p>{children}</p>
    </div>
  </div>
)
