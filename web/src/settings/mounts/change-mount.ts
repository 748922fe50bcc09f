import type { Mount } from '@filestead/contract'
import { ask } from '../../dialogs/ask.ts'
import { Confirmation } from '../../dialogs/Confirmation.tsx'
import { describeFailure, showFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { goTo } from '../../navigation/location.ts'
import { ApiError } from '../../server/client.ts'
import { createMount, removeMount, updateMount } from '../../server/queries/mounts.ts'
import { toastSuccess } from '../../ui/toasts.ts'
import { historyRequestOf } from './history-fields.ts'
import { isFirst, type MountFields } from './mount-fields.ts'
import { addressOf, type StorageFields, storageFieldsOf } from './storage-fields.ts'

/** Adds a root folder, or changes it. A new one is opened: who may use it is what comes next. */
export async function saveMount(fields: MountFields, mount: Mount | null): Promise<boolean> {
  const { name, storage, history, ...behaviour } = fields
  const wanted = {
    ...behaviour,
    name: name.trim(),
    folder: folderOf(storage, mount),
    history: historyRequestOf(history, mount),
  }
  if (mount === null) {
    const { id } = await createMount(wanted)
    toastSuccess(t('settings.mounts.created'))
    goTo(`/settings/mounts/${id}`)
    return true
  }
  await updateMount(mount.id, wanted)
  toastSuccess(t('settings.mounts.updated'))
  return true
}

/** The folder of the first one is not the page's to send; and what was not changed stays as it was written. */
function folderOf(storage: StorageFields, mount: Mount | null): string {
  if (isFirst(mount)) return ''
  const address = addressOf(storage)
  const before = mount?.folder ?? ''
  return address === addressOf(storageFieldsOf(before)) ? before : address
}

/** After a question that says what ends, and that nothing on the disk does. */
export async function deleteMount({ id, name, folder = '' }: Mount, isSecond: boolean): Promise<void> {
  const question = t('settings.mounts.removeQuestion', { name, folder })
  const isSure = await ask(Confirmation, {
    title: t('settings.mounts.remove'),
    text: isSecond ? `${question} ${t('settings.mounts.removeLast')}` : question,
    cancel: t('buttons.cancel'),
    confirm: t('settings.mounts.removeButton'),
  })
  if (isSure === null) return
  try {
    await removeMount(id)
  } catch (error) {
    return showFailure(error)
  }
  toastSuccess(t('settings.mounts.removed'))
  goTo('/settings/mounts')
}

export interface MountFailure {
  field: 'name' | 'folder' | null
  text: string
}

/** The server's refusals, beside the field they are about: those of names begin with the name. */
export function explainMountFailure(error: unknown): MountFailure {
  const code = error instanceof ApiError ? error.code : null
  if (code === 'already-exists') return { field: 'name', text: t('settings.mounts.nameTaken') }
  const text = describeFailure(error)
  if (code !== 'invalid') return { field: null, text }
  return { field: /^(the name\b|")/.test(text) ? 'name' : 'folder', text }
}
