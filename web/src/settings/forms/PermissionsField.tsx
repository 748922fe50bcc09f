import type { Permissions } from '@filestead/contract'
import { useTranslation } from '../../i18n/i18n.ts'
import { startSettings } from '../../server/start-settings.ts'
import { Checkbox } from '../../ui/Tick.tsx'
import styles from './PermissionsField.module.css'
import { implied, isImplied, offeredPermissions } from './permissions.ts'

interface PermissionsFieldProps {
  value: Permissions
  onChange: (value: Permissions) => void
}

/** The rights of a user. The one to run commands is left out where no commands run. */
export function PermissionsField({ value, onChange }: PermissionsFieldProps) {
  const { t } = useTranslation()
  const shown = implied(value)
  const offered = offeredPermissions.filter((name) => name !== 'execute' || startSettings.EnableExec)

  return (
    <fieldset className={styles.grid} aria-label={t('settings.permissions.title')}>
      {offered.map((name) => (
        <Checkbox
          key={name}
          label={t(`settings.permissions.${name}`)}
          help={
            name === 'admin'
              ? t('settings.permissions.adminHelp')
              : name === 'download' && isImplied(value, name) && !value.admin
                ? t('settings.permissions.downloadHelp')
                : undefined
          }
          checked={shown[name]}
          disabled={isImplied(value, name)}
          onChange={({ target }) => onChange(implied({ ...value, [name]: target.checked }))}
        />
      ))}
    </fieldset>
  )
}
