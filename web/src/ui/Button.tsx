import type { ReactNode } from 'react'
import styles from './Button.module.css'

interface ButtonProps {
  look: 'primary' | 'quiet'
  type?: 'button' | 'submit'
  isBusy?: boolean
  onClick?: () => void
  children: ReactNode
}

/** A busy button is not disabled: a disabled one would throw the keyboard's focus away. */
export function Button({ look, type = 'button', isBusy = false, onClick, children }: ButtonProps) {
  return (
    <button type={type} className={styles.button} data-look={look} aria-busy={isBusy} onClick={onClick}>
      {isBusy && <span className={styles.spinner} aria-hidden="true" />}
      {children}
    </button>
  )
}
