import type { LiHTMLAttributes, ReactNode } from 'react'
import styles from './TrayRow.module.css'

interface TrayRowProps extends Omit<LiHTMLAttributes<HTMLLIElement>, 'className' | 'title'> {
  /** The accessible name. */
  label: string
  /** Kept in view beside the text: an icon, a thumbnail or a spinner. */
  picture: ReactNode
  title: ReactNode
  /** A progress bar, where there is one. */
  bar?: ReactNode
  /** How far it is, in words. */
  state: ReactNode
  /** Buttons, or a mark of the end. */
  end: ReactNode
  /** Offers and questions, below the rest. */
  below?: ReactNode
}

/** One row of the tray: an activity, or one file of the uploads. `data-state` colours it. */
export const TrayRow = ({ label, picture, title, bar, state, end, below, ...item }: TrayRowProps) => (
  <li {...item} className={styles.row} aria-label={label}>
    <span className={styles.picture}>{picture}</span>
    <div className={styles.text}>
      <div className={styles.title}>{title}</div>
      {bar != null && bar !== false && <div className={styles.bar}>{bar}</div>}
      <div className={styles.state}>{state}</div>
      {below}
    </div>
    <div className={styles.end}>{end}</div>
  </li>
)
