import type { Group } from '@filestead/contract'
import { ask } from '../../dialogs/ask.ts'
import { Confirmation } from '../../dialogs/Confirmation.tsx'
import { showFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { goTo } from '../../navigation/location.ts'
import { cache } from '../../server/queries/cache.ts'
import { createGroup, groupsQuery, removeGroup, updateGroup } from '../../server/queries/groups.ts'
import { toastSuccess } from '../../ui/toasts.ts'
import { merged } from '../forms/merged.ts'
import type { GroupFields } from './group-fields.ts'

/** Makes a group, or changes the one that was seen. */
export async function saveGroup({ name, members }: GroupFields, seen: Group | null): Promise<boolean> {
  if (seen === null) {
    const { id } = await createGroup({ name: name.trim(), members })
    toastSuccess(t('settings.groups.created'))
    goTo(`/settings/groups/${id}`)
    return true
  }
  const stored = (await cache().fetchQuery(groupsQuery())).find(({ id }) => id === seen.id)
  const wanted = merged(seen.members, members, stored?.members ?? seen.members)
  await updateGroup(seen.id, { name: name.trim(), members: wanted })
  toastSuccess(t('settings.groups.updated'))
  return true
}

/** After a question that says what ends. */
export async function deleteGroup({ id, name }: Group, folders: number): Promise<void> {
  const text =
    folders === 0
      ? t('settings.groups.deleteUnused', { name })
      : t('settings.groups.deleteQuestion', { name, count: folders })
  const words = { title: t('settings.groups.delete'), cancel: t('buttons.cancel'), confirm: t('buttons.delete') }
  if ((await ask(Confirmation, { ...words, text })) === null) return
  try {
    await removeGroup(id)
  } catch (error) {
    return showFailure(error)
  }
  toastSuccess(t('settings.groups.deleted'))
  goTo('/settings/groups')
}
