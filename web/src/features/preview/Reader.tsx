import type { ReactNode } from 'react'
import styles from './Reader.module.css'

interface ReaderProps {
  /** What the tools are called. */
  label: string
  tools: ReactNode
  children: ReactNode
}

/** Pages to read, below tools of their own. */
export const Reader = ({ label, tools, children }: ReaderProps) => (
  <div className={styles.reader}>
    <div className={styles.tools} role="toolbar" aria-label={label}>
      {tools}
    </div>
    {children}
  </div>
)

/** Room between tools. */
export const Gap = () => <span className={styles.gap} />
