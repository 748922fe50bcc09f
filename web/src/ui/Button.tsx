import type { ButtonHTMLAttributes, MouseEvent, ReactNode, Ref } from 'react'
import styles from './Button.module.css'
import type { GlyphName } from './glyphs.tsx'
import { Icon } from './Icon.tsx'
import hidden from './VisuallyHidden.module.css'

/**
 * What a button shows, in place of its icon, of the work that it has started. Unlike a busy one it can be pressed again
 * meanwhile.
 */
export type Progress = 'running' | 'done'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style'> {
  look?: 'primary' | 'line' | 'quiet' | 'danger' | 'danger-quiet' | 'link'
  size?: 'normal' | 'big' | 'small'
  icon?: GlyphName
  isBusy?: boolean
  progress?: Progress
  /** A number on the corner of the icon. A description says it; it would be part of the name without an `aria-label`. */
  badge?: string | undefined
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
  progress,
  badge,
  onClick,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      // `button` and `action` are the names that installed custom style sheets use.
      className={`button ${styles.button}`}
      data-look={look}
      data-badge={badge}
      data-size={size}
      data-progress={progress}
      aria-busy={isBusy || progress === 'running' || undefined}
      onClick={isBusy ? ignore : onClick}
    >
      <ButtonIcon icon={icon} progress={isBusy ? 'running' : progress} />
      <span className={styles.label}>{children}</span>
    </button>
  )
}

const ignore = (event: MouseEvent): void => event.preventDefault()

export function ButtonIcon({ icon, progress }: { icon?: GlyphName | undefined; progress?: Progress | undefined }) {
  if (progress === 'running') return <Spinner />
  if (progress === 'done') return <Icon name="check" />
  return icon === undefined ? null : <Icon name={icon} />
}

export const Spinner = () => <span className={styles.spinner} aria-hidden="true" />

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style' | 'aria-label'> {
  icon: GlyphName
  /** The accessible name. It never changes with the state: that is what aria-pressed and aria-expanded are for. */
  label: string
  /** The keys that do the same, for the tooltip. */
  hint?: string
  /** What the tooltip says, where that is more than the name. */
  tip?: string
  small?: boolean
  isBusy?: boolean
  progress?: Progress
  /** A number on the corner. Not part of the name, as no text of the button is: a description says it. */
  badge?: string
  /** Beside a field whose label its own would be taken for, such as "Password" and "Show password". */
  isNamedByText?: boolean
  ref?: Ref<HTMLButtonElement>
}

export function IconButton({
  icon,
  label,
  hint,
  tip = label,
  small = false,
  isBusy = false,
  progress,
  badge,
  isNamedByText,
  onClick,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`action ${styles.iconButton}`}
      data-small={small}
      aria-label={isNamedByText ? undefined : label}
      data-progress={progress}
      data-badge={badge}
      aria-busy={isBusy || progress === 'running' || undefined}
      data-tip={tip}
      data-keys={hint}
      onClick={isBusy ? ignore : onClick}
    >
      <ButtonIcon icon={icon} progress={isBusy ? 'running' : progress} />
      {isNamedByText && <span className={hidden.visuallyHidden}>{label}</span>}
    </button>
  )
}
