import type { LinkPolicy, Mount } from '@filestead/contract'
import { useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { TextField } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { Switch } from '../../ui/Tick.tsx'
import { toastError } from '../../ui/toasts.ts'
import { useDraft } from '../forms/draft.ts'
import { Form, SaveBar, Section, Switches } from '../forms/Form.tsx'
import { CancelLink } from '../forms/ListPage.tsx'
import { Note } from '../forms/Note.tsx'
import { explainMountFailure, type MountFailure, saveMount } from './change-mount.ts'
import { HistorySection } from './HistorySection.tsx'
import { checkMount, exampleAddress, fieldsOf, isAlone, isFirst } from './mount-fields.ts'
import { StorageField } from './StorageField.tsx'
import { type StorageFields, suggestedName } from './storage-fields.ts'
import { Weaknesses } from './Weaknesses.tsx'

/** Folder, name and behaviour of a root folder; null for one that is not there yet. */
export function MountForm({ mount }: { mount: Mount | null }) {
  const { t } = useTranslation()
  const [wasTried, setWasTried] = useState(false)
  const [wasTested, setWasTested] = useState(false)
  const [refusal, setRefusal] = useState<MountFailure | null>(null)
  const isFixed = mount?.isFixed === true && !isFirst(mount)
  const draft = useDraft(
    fieldsOf(mount),
    async (fields) => {
      setWasTried(true)
      setRefusal(null)
      if (Object.keys(checkMount(fields, !isFirst(mount))).length > 0) return false
      return saveMount(fields, mount)
    },
    (error) => {
      const failure = explainMountFailure(error)
      if (failure.field === null) toastError(failure.text)
      else setRefusal(failure)
    },
  )
  const { value } = draft
  const all = checkMount(value, !isFirst(mount))
  const problems = wasTried ? all : wasTested ? { storage: all.storage } : {}
  const refusalOf = (field: MountFailure['field']) => (refusal?.field === field ? refusal.text : undefined)

  function change(part: Partial<typeof value>) {
    setRefusal(null)
    draft.change(part)
  }

  /** A name that was not typed follows the folder. */
  function changeStorage(part: Partial<StorageFields>) {
    const storage = { ...value.storage, ...part }
    const isSuggested = mount === null && (value.name === '' || value.name === suggestedName(value.storage))
    change(isSuggested ? { storage, name: suggestedName(storage) } : { storage })
  }

  return (
    <Form
      label={mount === null ? t('settings.mounts.newTitle') : withoutMarks(t('settings.mounts.known', mount))}
      onSubmit={draft.save}
    >
      <Section title={t('settings.mounts.one')} text={isFixed ? t('settings.mounts.fixed') : undefined}>
        {mount?.isAway && (
          <Note look="warn">
            {(mount.storage !== undefined && mount.problem) || t('settings.mounts.awayText', { folder: mount.folder })}
          </Note>
        )}
        <Weaknesses of={mount?.weaknesses ?? []} />
        <StorageField
          mount={mount}
          value={value.storage}
          problems={problems.storage ?? {}}
          refusal={refusalOf('folder')}
          isDisabled={isFixed || isFirst(mount)}
          onChange={changeStorage}
          onTested={() => setWasTested(true)}
        />
        <TextField
          label={t('settings.mounts.name')}
          value={value.name}
          disabled={isFixed}
          maxLength={100}
          help={
            isAlone(mount)
              ? undefined
              : t('settings.mounts.nameHelp', { address: exampleAddress(value.name.trim() || '…', '') })
          }
          error={refusalOf('name') ?? (problems.name && t(`settings.mounts.${problems.name}`))}
          onChange={({ target }) => change({ name: target.value })}
        />
        {value.storage.kind !== 's3' && (
          <Select
            label={t('settings.mounts.links')}
            value={value.links}
            disabled={isFixed || isFirst(mount)}
            help={
              isFirst(mount)
                ? t('settings.mounts.linksOfFirst')
                : value.links === 'outside'
                  ? t('settings.mounts.linksOutsideHelp')
                  : t('settings.mounts.linksInsideHelp')
            }
            options={[
              { value: 'inside', label: t('settings.mounts.linksInsideChoice') },
              { value: 'outside', label: t('settings.mounts.linksOutsideChoice') },
            ]}
            onChange={({ target }) => change({ links: target.value as LinkPolicy })}
          />
        )}
        <Switches>
          <Switch
            label={t('settings.mounts.readOnly')}
            help={t('settings.mounts.readOnlyHelp')}
            checked={value.readOnly}
            disabled={isFixed}
            onChange={({ target }) => change({ readOnly: target.checked })}
          />
        </Switches>
      </Section>
      <HistorySection
        mount={mount}
        isOnDisk={value.storage.kind === 'disk'}
        value={value.history}
        problems={problems.history ?? {}}
        isDisabled={isFixed}
        onChange={(part) => change({ history: { ...value.history, ...part } })}
      />
      {!isFixed && <SaveBar draft={draft} label={t('buttons.save')} cancel={<CancelLink to="/settings/mounts" />} />}
    </Form>
  )
}
