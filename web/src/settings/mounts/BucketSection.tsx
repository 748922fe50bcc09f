import { useTranslation } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Select } from '../../ui/Select.tsx'
import { Switch } from '../../ui/Tick.tsx'
import { Switches } from '../forms/Form.tsx'
import { AddressFields, type AddressSectionProps, type AddressText } from './AddressFields.tsx'
import styles from './BucketSection.module.css'
import { type BucketFields, type BucketStyle, usualStyle } from './storage-fields.ts'

const rows: readonly AddressText<'server' | 'region' | 'bucket' | 'prefix' | 'keys'>[][] = [
  [
    {
      name: 'server',
      label: 'settings.mounts.s3.server',
      help: 'settings.mounts.s3.serverHelp',
      placeholder: 'https://s3.example.com',
    },
    {
      name: 'region',
      label: 'settings.mounts.s3.region',
      help: 'settings.mounts.s3.regionHelp',
      placeholder: 'us-east-1',
    },
  ],
  [
    { name: 'bucket', label: 'settings.mounts.s3.bucket', help: 'settings.mounts.s3.bucketHelp' },
    { name: 'prefix', label: 'settings.mounts.s3.prefix', help: 'settings.mounts.s3.prefixHelp' },
  ],
  [{ name: 'keys', label: 'settings.mounts.s3.keys', help: 'settings.mounts.s3.keysHelp' }],
]

export function BucketSection({ onChange, ...section }: AddressSectionProps<BucketFields>) {
  const { t } = useTranslation()
  const { value, isDisabled } = section
  return (
    <>
      <AddressFields {...section} rows={rows} onChange={(name, text) => onChange({ [name]: text })} />
      <Switches>
        <Switch
          label={t('settings.mounts.s3.direct')}
          help={t('settings.mounts.s3.directHelp')}
          checked={value.direct !== 'no'}
          disabled={isDisabled}
          onChange={({ target }) => onChange({ direct: target.checked ? 'yes' : 'no' })}
        />
      </Switches>
      <details className={styles.more} open={value.style !== undefined && value.style !== usualStyle(value)}>
        <summary>
          <Icon name="chevron-right" small />
          {t('settings.mounts.more')}
        </summary>
        <Select
          label={t('settings.mounts.s3.style')}
          value={value.style ?? usualStyle(value)}
          disabled={isDisabled}
          help={t('settings.mounts.s3.styleHelp')}
          options={[
            { value: 'path', label: t('settings.mounts.s3.pathStyle') },
            { value: 'host', label: t('settings.mounts.s3.hostStyle') },
          ]}
          onChange={({ target }) => onChange({ style: target.value as BucketStyle })}
        />
      </details>
    </>
  )
}
