import { useTranslation } from 'react-i18next'
import { startSettings } from '../api/start-settings.ts'
import { TextField } from '../ui/Field.tsx'

interface CommandsFieldProps {
  /** Their names, with spaces between them. */
  value: string
  onChange: (value: string) => void
}

/** The programs that a user may start, where anybody may start any. */
export function CommandsField({ value, onChange }: CommandsFieldProps) {
  const { t } = useTranslation()
  if (!startSettings.EnableExec) return null
  return (
    <TextField
      label={t('settings.user.commands')}
      help={t('settings.user.commandsHelp')}
      isCode
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
