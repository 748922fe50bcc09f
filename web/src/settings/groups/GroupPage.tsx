import { useSuspenseQuery } from '@tanstack/react-query'
import { useTranslation } from '../../i18n/i18n.ts'
import { groupsQuery } from '../../server/queries/groups.ts'
import { NotThere } from '../forms/ListPage.tsx'
import { Page } from '../forms/Page.tsx'
import { GroupForm } from './GroupForm.tsx'

/** `id` is null for a group that does not exist yet. */
export function GroupPage({ id }: { id: number | null }) {
  const { t } = useTranslation()
  const { data } = useSuspenseQuery(groupsQuery())
  const group = data.find((each) => each.id === id)
  if (id !== null && group === undefined)
    return <NotThere list="/settings/groups">{t('settings.groups.title')}</NotThere>
  return (
    <Page
      title={group === undefined ? t('settings.groups.newTitle') : t('settings.groups.known', { name: group.name })}
      tabTitle={t('settings.groups.one')}
    >
      <GroupForm key={id} group={group ?? null} />
    </Page>
  )
}
