import {
  type InputHTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from 'react'
import { IconButton } from './Button.tsx'
import styles from './Field.module.css'
import { Icon } from './Icon.tsx'

interface FieldProps {
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

export function TextArea({
  label,
  help,
  error,
  isLabelHidden,
  ...area
}: Omit<FieldProps, 'isCode' | 'isRight'> &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className' | 'style' | 'id'>) {
  const id = useId()
  return (
    <Framed id={id} label={label} help={help} error={error} isLabelHidden={isLabelHidden}>
      <textarea
        rows={3}
        spellCheck={false}
        {...area}
        {...ariaOf(id, help, error)}
        className={`input ${styles.input} ${styles.area}`}
      />
    </Framed>
  )
}

export function Select({
  label,
  help,
  error,
  options,
  ...select
}: FieldProps &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className' | 'style' | 'id'> & {
    options: readonly { value: string; label: string }[]
  }) {
  const id = useId()
  return (
    <Framed id={id} label={label} help={help} error={error}>
      <select {...select} {...ariaOf(id, help, error)} className={`input ${styles.input} ${styles.select}`}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Framed>
  )
}

interface TickProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'style' | 'id' | 'type'> {
  label: string
  help?: ReactNode
  ref?: Ref<HTMLInputElement>
}

/** A box to tick, its text included. */
export function Checkbox({ label, help, ...input }: TickProps) {
  const id = useId()
  return (
    <div className={styles.option}>
      <input {...input} id={id} type="checkbox" className={styles.check} aria-describedby={describedBy(id, help)} />
      <span>
        <label htmlFor={id}>{label}</label>
        {help !== undefined && (
          <small id={`${id}-help`} className={styles.help}>
            {help}
          </small>
        )}
      </span>
    </div>
  )
}

/** A setting that is on or off: a checkbox for assistive technology, a switch for the eye. */
export function Switch({ label, help, ...input }: TickProps) {
  const id = useId()
  return (
    <div className={styles.switchRow}>
      <span>
        <label htmlFor={id}>{label}</label>
        {help !== undefined && (
          <small id={`${id}-help`} className={styles.help}>
            {help}
          </small>
        )}
      </span>
      <input {...input} id={id} type="checkbox" className={styles.switch} aria-describedby={describedBy(id, help)} />
    </div>
  )
}

function Framed({
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
const ariaOf = (id: string, help: ReactNode, error?: string) => ({
  id,
  'aria-invalid': error !== undefined || undefined,
  'aria-describedby': describedBy(id, help, error),
})

function describedBy(id: string, help: ReactNode, error?: string): string | undefined {
  const parts = [help !== undefined && `${id}-help`, error !== undefined && `${id}-error`].filter(Boolean)
  return parts.length === 0 ? undefined : parts.join(' ')
}
