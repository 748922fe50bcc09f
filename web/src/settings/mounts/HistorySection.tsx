import type { Mount, SnapshotMode } from '@filestead/contract'
import { useTranslation } from '../../i18n/i18n.ts'
import { TextField } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { Switch } from '../../ui/Tick.tsx'
import { Pair, Section, Switches } from '../forms/Form.tsx'
import { FoundSnapshots } from './FoundSnapshots.tsx'
import type { HistoryFields, HistoryProblems } from './history-fields.ts'
import { exampleOf } from './snapshot-names.ts'

interface HistorySectionProps {
  mount: Mount | null
  /** Elsewhere there is no share of a disk, and no snapshots. */
  isOnDisk: boolean
  value: HistoryFields
  problems: HistoryProblems
  isDisabled: boolean
  onChange(part: Partial<HistoryFields>): void
}

/** What is kept of what is deleted and replaced, for how long, and where older states are found. */
export function HistorySection({ mount, isOnDisk, value, problems, isDisabled, onChange }: HistorySectionProps) {
  const { t } = useTranslation()
  const problemOf = (name: keyof HistoryProblems) => {
    const problem = problems[name]
    return problem && t(`settings.mounts.history.${problem}`)
  }

  /** A whole number, with its unit in the label. */
  const numberField = (name: 'trashDays' | 'trashShare' | 'versionDays' | 'versionShare') => (
    <TextField
      label={t(`settings.mounts.history.${name}`)}
      inputMode="numeric"
      value={value[name]}
      disabled={isDisabled}
      help={isOnDisk ? t(`settings.mounts.history.${name}Help`) : t('settings.mounts.history.daysElsewhereHelp')}
      error={problemOf(name)}
      onChange={({ target }) => onChange({ [name]: target.value })}
    />
  )

  return (
    <Section
      title={t('settings.mounts.history.title')}
      text={isOnDisk ? t('settings.mounts.history.text') : t('settings.mounts.history.textElsewhere')}
    >
      <Switches>
        <Switch
          label={t('settings.mounts.history.trash')}
          help={
            value.trash === 'ask' ? t('settings.mounts.history.trashAsked') : t('settings.mounts.history.trashHelp')
          }
          checked={value.trash === 'on'}
          disabled={isDisabled}
          onChange={({ target }) => onChange({ trash: target.checked ? 'on' : 'off' })}
        />
      </Switches>
      {value.trash === 'on' && (
        <Pair>
          {numberField('trashDays')}
          {isOnDisk && numberField('trashShare')}
        </Pair>
      )}
      <Switches>
        <Switch
          label={t('settings.mounts.history.versions')}
          help={t('settings.mounts.history.versionsHelp')}
          checked={value.versions}
          disabled={isDisabled}
          onChange={({ target }) => onChange({ versions: target.checked })}
        />
      </Switches>
      {value.versions && (
        <Pair>
          {numberField('versionDays')}
          {isOnDisk && numberField('versionShare')}
        </Pair>
      )}
      {isOnDisk && <SnapshotFields {...{ mount, value, problemOf, isDisabled, onChange }} />}
    </Section>
  )
}

interface OwnSnapshotsProps extends Pick<HistorySectionProps, 'value' | 'isDisabled' | 'onChange'> {
  problemOf(name: keyof HistoryProblems): string | undefined
}

function SnapshotFields({
  mount,
  value,
  isDisabled,
  problemOf,
  onChange,
}: OwnSnapshotsProps & { mount: Mount | null }) {
  const { t } = useTranslation()
  return (
    <>
      <Select
        label={t('settings.mounts.history.snapshots')}
        value={value.snapshots}
        disabled={isDisabled}
        help={t(`settings.mounts.history.${value.snapshots}Help`)}
        options={(['auto', 'own', 'off'] as const).map((mode) => ({
          value: mode,
          label: t(`settings.mounts.history.${mode}`),
        }))}
        onChange={({ target }) => onChange({ snapshots: target.value as SnapshotMode })}
      />
      {value.snapshots === 'own' && (
        <OwnSnapshots value={value} isDisabled={isDisabled} problemOf={problemOf} onChange={onChange} />
      )}
      {value.snapshots !== 'off' && mount !== null && value.snapshots === mount.history?.snapshots && (
        <FoundSnapshots mount={mount} />
      )}
    </>
  )
}

function OwnSnapshots({ value, isDisabled, problemOf, onChange }: OwnSnapshotsProps) {
  const { t } = useTranslation()
  const pattern = value.snapshotPattern.trim()
  const example = pattern === '' ? null : exampleOf(pattern, Date.now())
  return (
    <>
      <TextField
        label={t('settings.mounts.history.snapshotFolder')}
        isCode
        value={value.snapshotFolder}
        disabled={isDisabled}
        help={t('settings.mounts.history.snapshotFolderHelp')}
        error={problemOf('snapshotFolder')}
        onChange={({ target }) => onChange({ snapshotFolder: target.value })}
      />
      <TextField
        label={t('settings.mounts.history.snapshotPattern')}
        isCode
        value={value.snapshotPattern}
        disabled={isDisabled}
        help={
          example === null
            ? t('settings.mounts.history.patternHelp')
            : t('settings.mounts.history.patternExample', { name: example })
        }
        error={problemOf('snapshotPattern')}
        onChange={({ target }) => onChange({ snapshotPattern: target.value })}
      />
      <TextField
        label={t('settings.mounts.history.snapshotInside')}
        isCode
        value={value.snapshotInside}
        disabled={isDisabled}
        help={t('settings.mounts.history.snapshotInsideHelp')}
        onChange={({ target }) => onChange({ snapshotInside: target.value })}
      />
      <Switches>
        <Switch
          label={t('settings.mounts.history.snapshotIsLocal')}
          help={t('settings.mounts.history.snapshotIsLocalHelp')}
          checked={value.snapshotIsLocal}
          disabled={isDisabled}
          onChange={({ target }) => onChange({ snapshotIsLocal: target.checked })}
        />
      </Switches>
    </>
  )
}
