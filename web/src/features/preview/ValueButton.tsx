import type { ButtonHTMLAttributes } from 'react'
import styles from './ValueButton.module.css'

interface ValueButtonProps extends Pick<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-pressed' | 'onClick'> {
  /** What it does: its name. */
  label: string
  /** The key that does the same. */
  hint: string
  /** What it shows, such as the zoom. */
  value: string
  small?: boolean
}

/** A button that shows a value where others have a picture. */
export const ValueButton = ({ label, hint, value, small = false, ...rest }: ValueButtonProps) => (
  <button
    type="button"
    {...rest}
    className={styles.button}
    aria-label={label}
    title={`${label} (${hint})`}
    data-value={value}
    data-small={small}
  />
)
