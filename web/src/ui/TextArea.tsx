import { type TextareaHTMLAttributes, useId } from 'react'
import field from './Field.module.css'
import { ariaOf, type FieldProps, Framed } from './Field.tsx'
import styles from './TextArea.module.css'

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
        className={`input ${field.input} ${styles.area}`}
      />
    </Framed>
  )
}
