import { useTranslation } from '../../i18n/i18n.ts'
import { locales } from '../../i18n/language-names.ts'
import { Select } from '../../ui/Select.tsx'

interface LanguageFieldProps {
  /** The id of one that is offered. */
  value: string
  onChange: (locale: string) => void
}

export function LanguageField({ value, onChange }: LanguageFieldProps) {
  const { t } = useTranslation()
  return (
    <Select
      label={t('settings.language')}
      options={options}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

/** Each by its own name, so that it is found in a page in an unknown language. */
const options = locales.map(({ id, name }) => ({ value: id, label: name }))
