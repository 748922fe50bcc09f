import type { WebSettings } from '@filestead/contract'
import { useTranslation } from '../../i18n/i18n.ts'
import { TextField } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { Switch } from '../../ui/Tick.tsx'
import { Pair, Section, Switches } from '../forms/Form.tsx'
import styles from './BrandingFields.module.css'

type Branding = WebSettings['branding']

const documentation = 'https://github.com/filestead/filestead/tree/main/docs/operating'

/** How the instance presents itself. */
export function BrandingFields({ value, onChange }: { value: Branding; onChange: (value: Branding) => void }) {
  const { t } = useTranslation()
  const change = (part: Partial<Branding>) => onChange({ ...value, ...part })

  return (
    <Section
      title={t('settings.branding.title')}
      text={
        <>
          {t('settings.branding.text')}{' '}
          <a className={styles.link} href={documentation} target="_blank" rel="noopener noreferrer">
            {t('settings.branding.documentation')}
          </a>
        </>
      }
    >
      <Pair>
        <TextField
          label={t('settings.branding.name')}
          value={value.name}
          placeholder={t('settings.branding.namePlaceholder')}
          onChange={({ target }) => change({ name: target.value })}
        />
        <Select
          label={t('settings.branding.theme')}
          options={[
            { value: '', label: t('settings.branding.themeSystem') },
            { value: 'light', label: t('settings.branding.themeLight') },
            { value: 'dark', label: t('settings.branding.themeDark') },
          ]}
          value={value.theme}
          onChange={({ target }) => change({ theme: target.value as Branding['theme'] })}
        />
      </Pair>
      <TextField
        label={t('settings.branding.files')}
        help={
          <>
            {t('settings.branding.filesHelp')}: <code>filestead config set --branding.files</code>
          </>
        }
        isCode
        readOnly
        value={value.files}
      />
      <Switches>
        <Switch
          label={t('settings.branding.disableExternal')}
          checked={value.disableExternal}
          onChange={({ target }) => change({ disableExternal: target.checked })}
        />
        <Switch
          label={t('settings.branding.disableUsedPercentage')}
          checked={value.disableUsedPercentage}
          onChange={({ target }) => change({ disableUsedPercentage: target.checked })}
        />
      </Switches>
    </Section>
  )
}
