import type { Mount } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { formatExact } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { snapshotsQuery } from '../../server/queries/mounts.ts'
import { Note } from '../forms/Note.tsx'

/** What the server finds by the settings that are saved. */
export function FoundSnapshots({ mount }: { mount: Mount }) {
  const { t } = useTranslation()
  const { data, error } = useQuery({ ...snapshotsQuery(mount.id), retry: false })
  const time = (at: number) => formatExact(new Date(at))
  const found = data?.sources.map(({ source, folder, count, newest, oldest }) =>
    t('settings.mounts.history.found', { source, folder, count, newest: time(newest), oldest: time(oldest) }),
  )
  const say = () => {
    if (error !== null) return describeFailure(error)
    if (found === undefined) return t('settings.mounts.history.looking')
    return found.length > 0 ? found.join(' ') : (data?.problem ?? t('settings.mounts.history.nothingFound'))
  }
  return <Note title={t('settings.mounts.history.foundTitle')}>{say()}</Note>
}
