import { type SelectHTMLAttributes, useId } from 'react'
import field from './Field.module.css'
import { ariaOf, type FieldProps, Framed } from './Field.tsx'
import styles from './Select.module.css'

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
      <select {...select} {...ariaOf(id, help, error)} className={`input ${field.input} ${styles.select}`}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Framed>
  )
}
