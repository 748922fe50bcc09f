import { AddressFields, type AddressSectionProps, type AddressText } from './AddressFields.tsx'
import type { SftpFields } from './storage-fields.ts'

const rows: readonly AddressText<keyof SftpFields>[][] = [
  [
    { name: 'host', label: 'settings.mounts.sftp.host', placeholder: 'nas.example.com' },
    { name: 'port', label: 'settings.mounts.sftp.port', placeholder: '22', isNumber: true },
  ],
  [
    { name: 'user', label: 'settings.mounts.sftp.user' },
    {
      name: 'folder',
      label: 'settings.mounts.sftp.folder',
      help: 'settings.mounts.sftp.folderHelp',
      placeholder: '/srv/files',
    },
  ],
  [{ name: 'keys', label: 'settings.mounts.sftp.keys', help: 'settings.mounts.sftp.keysHelp' }],
  [
    {
      name: 'hostKey',
      label: 'settings.mounts.sftp.hostKey',
      help: 'settings.mounts.sftp.hostKeyHelp',
      placeholder: 'SHA256:…',
    },
  ],
]

export function SftpSection({ onChange, ...section }: AddressSectionProps<SftpFields>) {
  return <AddressFields {...section} rows={rows} onChange={(name, text) => onChange({ [name]: text })} />
}
