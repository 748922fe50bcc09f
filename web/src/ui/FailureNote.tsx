import type { ReactNode } from 'react'
import styles from './FailureNote.module.css'
import { Icon } from './Icon.tsx'

/** Why a form was not taken, where no field is to blame. Announced when it appears. */
export const FailureNote = ({ children }: { children: ReactNode }) => (
  <p className={styles.note} role="alert">
    <Icon name="warn" small />
    {children}
  </p>
)
