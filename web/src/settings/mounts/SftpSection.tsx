import { useTranslation } from '../../i18n/i18n.ts'
import { TextField } from '../../ui/Field.tsx'
import { Pair } from '../forms/Form.tsx'
import type { SftpFields, StorageField } from './storage-fields.ts'

interface SftpSectionProps {
  value: SftpFields
  isDisabled: boolean
  problemOf(field: StorageField): string | undefined
  onChange(part: Partial<SftpFields>): void
}

export function SftpSection({ value, isDisabled, problemOf, onChange }: SftpSectionProps) {
  const { t } = useTranslation()
  const text = (name: keyof SftpFields, help?: string, placeholder = ' ') => (
    <TextField
      label={t(`settings.mounts.sftp.${name}`)}
      isCode
      placeholder={placeholder}
      inputMode={name === 'port' ? 'numeric' : 'text'}
      value={value[name]}
      disabled={isDisabled}
      help={help}
      error={problemOf(name)}
      onChange={({ target }) => onChange({ [name]: target.value })}
    />
  )
  return (
    <>
      <Pair>
        {text('host', undefined, 'nas.example.com')}
        {text('port', undefined, '22')}
      </Pair>
      <Pair>
        {text('user')}
        {text('folder', t('settings.mounts.sftp.folderHelp'), '/srv/files')}
      </Pair>
      {text('keys', t('settings.mounts.sftp.keysHelp'))}
      {text('hostKey', t('settings.mounts.sftp.hostKeyHelp'), 'SHA256:…')}
    </>
  )
}
