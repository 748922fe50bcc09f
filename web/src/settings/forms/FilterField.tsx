import { Icon } from '../../ui/Icon.tsx'
import styles from './FilterField.module.css'

interface FilterFieldProps {
  label: string
  value: string
  onChange: (text: string) => void
}

/** Above a table: what is typed leaves the rows that fit. */
export const FilterField = ({ label, value, onChange }: FilterFieldProps) => (
  <label className={styles.field}>
    <Icon name="search" />
    <input
      type="search"
      className={styles.text}
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  </label>
)
