import type { ButtonHTMLAttributes, MouseEvent, ReactNode, Ref } from 'react'
import styles from './Button.module.css'
import type { GlyphName } from './glyphs.tsx'
import { Icon } from './Icon.tsx'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style'> {
  look?: 'primary' | 'line' | 'quiet' | 'danger' | 'danger-quiet' | 'link'
  size?: 'normal' | 'big' | 'small'
  icon?: GlyphName
  isBusy?: boolean
  children: ReactNode
  ref?: Ref<HTMLButtonElement>
}

/**
 * A busy button is not disabled: a disabled one would throw the keyboard's focus away. It does nothing, though: not
 * what it says, and not what its form would do, for a click or for Enter in a field, which clicks it too.
 */
export function Button({
  look = 'quiet',
  size = 'normal',
  icon,
  isBusy = false,
  onClick,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      // `button` and `action` are the names that installed custom style sheets know.
      className={`button ${styles.button}`}
      data-look={look}
      data-size={size}
      aria-busy={isBusy || undefined}
      onClick={isBusy ? ignore : onClick}
    >
      {isBusy ? <Spinner /> : icon !== undefined && <Icon name={icon} />}
      <span className={styles.label}>{children}</span>
    </button>
  )
}

const ignore = (event: MouseEvent): void => event.preventDefault()

export const Spinner = () => <span className={styles.spinner} aria-hidden="true" />

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style' | 'aria-label'> {
  icon: GlyphName
  /** The accessible name. It never changes with the state: that is what aria-pressed and aria-expanded are for. */
  label: string
  /** What the tooltip says beyond the name, such as the shortcut. */
  hint?: string
  small?: boolean
  isBusy?: boolean
  /** Beside a field whose label its own would be taken for, such as "Password" and "Show password". */
  isNamedByTitle?: boolean
  ref?: Ref<HTMLButtonElement>
}

export function IconButton({
  icon,
  label,
  hint,
  small = false,
  isBusy = false,
  isNamedByTitle,
  onClick,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`action ${styles.iconButton}`}
      data-small={small}
      aria-label={isNamedByTitle ? undefined : label}
      aria-busy={isBusy || undefined}
      title={hint === undefined ? label : `${label} (${hint})`}
      onClick={isBusy ? ignore : onClick}
    >
      {isBusy ? <Spinner /> : <Icon name={icon} />}
    </button>
  )
}
