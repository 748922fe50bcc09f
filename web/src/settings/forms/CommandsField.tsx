import { useTranslation } from '../../i18n/i18n.ts'
import { startSettings } from '../../server/start-settings.ts'
import { TextField } from '../../ui/Field.tsx'

interface CommandsFieldProps {
  /** Their names, with spaces between them. */
  value: string
  onChange: (value: string) => void
}

/** The programs that a user may start. Left out where no commands run. */
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
