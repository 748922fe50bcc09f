import { useTranslation } from '../../i18n/i18n.ts'
import { Select, Switch, TextField } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Pair, Switches } from '../forms/Form.tsx'
import styles from './BucketSection.module.css'
import { type BucketFields, type BucketStyle, type StorageField, usualStyle } from './storage-fields.ts'

interface BucketSectionProps {
  value: BucketFields
  isDisabled: boolean
  problemOf(field: StorageField): string | undefined
  onChange(part: Partial<BucketFields>): void
}

export function BucketSection({ value, isDisabled, problemOf, onChange }: BucketSectionProps) {
  const { t } = useTranslation()
  const text = (name: 'server' | 'bucket' | 'prefix' | 'region' | 'keys', placeholder = ' ') => (
    <TextField
      label={t(`settings.mounts.s3.${name}`)}
      isCode
      placeholder={placeholder}
      value={value[name]}
      disabled={isDisabled}
      help={t(`settings.mounts.s3.${name}Help`)}
      error={name === 'region' ? undefined : problemOf(name)}
      onChange={({ target }) => onChange({ [name]: target.value })}
    />
  )
  return (
    <>
      <Pair>
        {text('server', 'https://s3.example.com')}
        {text('region', 'us-east-1')}
      </Pair>
      <Pair>
        {text('bucket')}
        {text('prefix')}
      </Pair>
      {text('keys')}
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
