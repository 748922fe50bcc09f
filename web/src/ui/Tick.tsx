import { type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react'
import field from './Field.module.css'
import { describedBy } from './Field.tsx'
import styles from './Tick.module.css'

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
      <Words id={id} label={label} help={help} />
    </div>
  )
}

/** A setting that is on or off: a checkbox for assistive technology, a switch for the eye. */
export function Switch({ label, help, ...input }: TickProps) {
  const id = useId()
  return (
    <div className={styles.switchRow}>
      <Words id={id} label={label} help={help} />
      <input {...input} id={id} type="checkbox" className={styles.switch} aria-describedby={describedBy(id, help)} />
    </div>
  )
}

/** What stands beside the box. */
const Words = ({ id, label, help }: Pick<TickProps, 'label' | 'help'> & { id: string }) => (
  <span>
    <label htmlFor={id}>{label}</label>
    {help !== undefined && (
      <small id={`${id}-help`} className={field.help}>
        {help}
      </small>
    )}
  </span>
)
