import { type InputHTMLAttributes, type KeyboardEvent, type ReactNode, type Ref, useId, useState } from 'react'
import { IconButton } from './Button.tsx'
import styles from './Field.module.css'
import { Icon } from './Icon.tsx'

export interface FieldProps {
  label: string
  /** Shown below the field. */
  help?: ReactNode
  /** Why the value cannot be taken. Announced when it appears. */
  error?: string
  /** Shows the value as matching, beside saying so. */
  isRight?: boolean
  /** Hides the label from view where the surroundings are clear enough. It stays the accessible name. */
  isLabelHidden?: boolean
  /** A path, a command, a pattern: written from left to right in even letters. */
  isCode?: boolean
}

type InputProps = FieldProps &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'style' | 'id'> & { ref?: Ref<HTMLInputElement> }

export function TextField({ label, help, error, isRight, isLabelHidden, isCode = false, ...input }: InputProps) {
  const id = useId()
  return (
    <Framed id={id} label={label} help={help} error={error} isLabelHidden={isLabelHidden}>
      <input
        type="text"
        dir={isCode ? 'ltr' : input.type === 'number' ? undefined : 'auto'}
        autoComplete="off"
        placeholder=" "
        {...(isCode && { spellCheck: false, autoCapitalize: 'none' })}
        {...input}
        {...ariaOf(id, help, error)}
        className={`input ${styles.input}`}
        data-right={isRight}
        data-code={isCode}
      />
    </Framed>
  )
}

interface PasswordFieldProps extends InputProps {
  showLabel: string
  capsLockLabel: string
  /** Set where more than the button decides whether the password is shown. */
  isShown?: boolean
  onShow?: (isShown: boolean) => void
}

/** A password, with a button that shows it and a warning about Caps Lock. */
export function PasswordField({
  label,
  help,
  error,
  isRight,
  showLabel,
  capsLockLabel,
  isShown: isShownFromOutside,
  onShow,
  ...input
}: PasswordFieldProps) {
  const id = useId()
  const [isShownByButton, setIsShownByButton] = useState(false)
  const isShown = isShownFromOutside ?? isShownByButton
  const [isCapsLockOn, setIsCapsLockOn] = useState(false)
  const watchCapsLock = (event: KeyboardEvent) => setIsCapsLockOn(event.getModifierState('CapsLock'))
  return (
    <Framed id={id} label={label} help={help} error={error}>
      <span className={styles.withButton}>
        <input
          autoCapitalize="none"
          spellCheck={false}
          {...input}
          {...ariaOf(id, help, error)}
          type={isShown ? 'text' : 'password'}
          className={`input ${styles.input}`}
          data-right={isRight}
          onKeyDown={watchCapsLock}
          onKeyUp={watchCapsLock}
          onBlur={() => setIsCapsLockOn(false)}
        />
        <IconButton
          icon="eye"
          label={showLabel}
          isNamedByText
          small
          aria-pressed={isShown}
          onClick={() => (onShow ?? setIsShownByButton)(!isShown)}
        />
      </span>
      {isCapsLockOn && (
        <p className={styles.warning} role="status">
          <Icon name="warn" small />
          {capsLockLabel}
        </p>
      )}
    </Framed>
  )
}

/** A control with its label, its help and its error. */
export function Framed({
  id,
  label,
  help,
  error,
  isLabelHidden = false,
  children,
}: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelHidden ? styles.hiddenLabel : styles.label}>
        {label}
      </label>
      {children}
      {help !== undefined && (
        <p id={`${id}-help`} className={styles.help}>
          {help}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className={styles.error} role="alert">
          <Icon name="warn" small />
          {error}
        </p>
      )}
    </div>
  )
}

/** The attributes that connect a control with its label, help and error. */
export const ariaOf = (id: string, help: ReactNode, error?: string) => ({
  id,
  'aria-invalid': error !== undefined || undefined,
  'aria-describedby': describedBy(id, help, error),
})

export function describedBy(id: string, help: ReactNode, error?: string): string | undefined {
  const parts = [help !== undefined && `${id}-help`, error !== undefined && `${id}-error`].filter(Boolean)
  return parts.length === 0 ? undefined : parts.join(' ')
}
