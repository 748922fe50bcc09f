import type { Mount } from '@filestead/contract'
import { ask } from '../../dialogs/ask.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { FolderDialog } from './FolderDialog.tsx'
import styles from './FolderField.module.css'
import { type Place, rootsOf } from './places.ts'

interface FolderFieldProps {
  value: Place
  mounts: readonly Mount[]
  error?: string
  onChange: (place: Place) => void
}

/** A folder of what is served: typed, since it need not be in sight of the administrator, or picked from the tree. */
export function FolderField({ value, mounts, error, onChange }: FolderFieldProps) {
  const { t } = useTranslation()
  const roots = rootsOf(mounts)

  async function pick() {
    const picked = await ask(FolderDialog, { mounts, from: { mount: value.mount, folder: '/' } })
    if (picked !== null) onChange(picked)
  }

  return (
    <div className={styles.place}>
      {roots.length > 1 && (
        <Select
          label={t('rights.root')}
          options={roots.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={String(value.mount)}
          onChange={({ target }) => onChange({ mount: Number(target.value), folder: '/' })}
        />
      )}
      <div className={styles.folder}>
        <TextField
          label={t('rights.folder')}
          isCode
          {...(error !== undefined && { error })}
          value={value.folder}
          onChange={({ target }) => onChange({ ...value, folder: target.value })}
        />
        <Button look="line" icon="folder" onClick={() => void pick().catch(showFailure)}>
          {t('rights.pick')}
        </Button>
      </div>
    </div>
  )
}
