import type { Mount, StorageKind } from '@filestead/contract'
import { useId } from 'react'
import { askWith } from '../../dialogs/ask.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { StorageMark } from '../../files/tree/StorageMark.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import cards from '../forms/ChoiceCards.module.css'
import { BucketSection } from './BucketSection.tsx'
import { ConnectionTest } from './ConnectionTest.tsx'
import { isFirst } from './mount-fields.ts'
import { SftpSection } from './SftpSection.tsx'
import styles from './StorageField.module.css'
import type { StorageField as FieldName, StorageFields, StorageProblems } from './storage-fields.ts'

interface StorageFieldProps {
  mount: Mount | null
  value: StorageFields
  problems: StorageProblems
  /** Why the server did not take it. */
  refusal: string | undefined
  isDisabled: boolean
  onChange(part: Partial<StorageFields>): void
  /** What is wrong with the address shall be shown. */
  onTested(): void
}

const kinds: readonly StorageKind[] = ['disk', 's3', 'sftp']

/** Where the files of a root folder are: a folder of the server, a bucket, or another server. */
export function StorageField({ mount, value, problems, refusal, isDisabled, onChange, onTested }: StorageFieldProps) {
  const { t } = useTranslation()
  const group = useId()
  const problemOf = (field: FieldName) => {
    const problem = problems[field]
    return problem && t(`settings.mounts.${problem}`)
  }
  const fields = { problemOf, isDisabled }
  return (
    <>
      {!isFirst(mount) && (
        <div role="radiogroup" aria-label={t('settings.mounts.storage')} className={`${cards.cards} ${styles.kinds}`}>
          {kinds.map((kind) => (
            <label key={kind}>
              <input
                type="radio"
                name={group}
                aria-label={t(`settings.mounts.kinds.${kind}`)}
                checked={value.kind === kind}
                disabled={isDisabled}
                onChange={() => onChange({ kind })}
              />
              <StorageMark kind={kind} />
              <span>{t(`settings.mounts.kinds.${kind}`)}</span>
            </label>
          ))}
        </div>
      )}
      {value.kind === 'disk' && (
        <DiskField
          mount={mount}
          value={value.disk}
          error={refusal ?? problemOf('disk')}
          {...{ isDisabled, onChange }}
        />
      )}
      {value.kind === 's3' && (
        <BucketSection {...fields} value={value.s3} onChange={(part) => onChange({ s3: { ...value.s3, ...part } })} />
      )}
      {value.kind === 'sftp' && (
        <SftpSection
          {...fields}
          value={value.sftp}
          onChange={(part) => onChange({ sftp: { ...value.sftp, ...part } })}
        />
      )}
      {value.kind !== 'disk' && (
        <ConnectionTest
          mount={mount}
          value={value}
          refusal={refusal}
          onTested={onTested}
          onHostKey={isDisabled ? undefined : (hostKey) => onChange({ sftp: { ...value.sftp, hostKey } })}
        />
      )}
    </>
  )
}

interface DiskFieldProps extends Pick<StorageFieldProps, 'mount' | 'isDisabled' | 'onChange'> {
  value: string
  error: string | undefined
}

function DiskField({ mount, value, error, isDisabled, onChange }: DiskFieldProps) {
  const { t } = useTranslation()
  const isChosenHere = !isDisabled && !isFirst(mount)

  async function choose() {
    const load = async () => (await import('./FolderDialog.tsx')).FolderDialog
    const folder = await askWith(load, { folder: value })
    if (folder !== null) onChange({ disk: folder })
  }

  return (
    <div className={styles.folder}>
      <TextField
        label={t('settings.mounts.folder')}
        isCode
        value={value}
        disabled={!isChosenHere}
        help={isFirst(mount) ? t('settings.mounts.folderOfFirst') : t('settings.mounts.folderHelp')}
        error={error}
        onChange={({ target }) => onChange({ disk: target.value })}
      />
      {isChosenHere && (
        <Button look="line" icon="folder" onClick={() => void choose().catch(showFailure)}>
          {t('settings.mounts.choose')}
        </Button>
      )}
    </div>
  )
}
