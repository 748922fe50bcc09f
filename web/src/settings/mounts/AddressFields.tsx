import { Fragment } from 'react'
import { type TextKey, useTranslation } from '../../i18n/i18n.ts'
import { TextField } from '../../ui/Field.tsx'
import { Pair } from '../forms/Form.tsx'
import type { StorageField } from './storage-fields.ts'

/** What the form of each kind of storage elsewhere is given. */
export interface AddressSectionProps<Fields> {
  value: Fields
  isDisabled: boolean
  problemOf(field: StorageField): string | undefined
  onChange(part: Partial<Fields>): void
}

export interface AddressText<Name extends StorageField> {
  name: Name
  label: TextKey
  help?: TextKey
  placeholder?: string
  isNumber?: boolean
}

interface AddressFieldsProps<Name extends StorageField> {
  /** Two texts of a row stand side by side. */
  rows: readonly (readonly AddressText<Name>[])[]
  value: Readonly<Record<Name, string>>
  isDisabled: boolean
  problemOf(field: StorageField): string | undefined
  onChange(name: Name, text: string): void
}

/** The texts that the address of a storage elsewhere is made of. */
export function AddressFields<Name extends StorageField>(props: AddressFieldsProps<Name>) {
  const { rows, value, isDisabled, problemOf, onChange } = props
  const { t } = useTranslation()
  const field = ({ name, label, help, placeholder = ' ', isNumber = false }: AddressText<Name>) => (
    <TextField
      key={name}
      label={t(label)}
      isCode
      placeholder={placeholder}
      inputMode={isNumber ? 'numeric' : 'text'}
      value={value[name]}
      disabled={isDisabled}
      help={help && t(help)}
      error={problemOf(name)}
      onChange={({ target }) => onChange(name, target.value)}
    />
  )
  return rows.map((row) => {
    const Row = row.length > 1 ? Pair : Fragment
    return <Row key={row[0]?.name}>{row.map(field)}</Row>
  })
}
