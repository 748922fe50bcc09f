import { useSuspenseQuery } from '@tanstack/react-query'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { PickFolderDialog } from '../../files/operations/PickFolderDialog.tsx'
import { rootsOf } from '../../files/rights/places.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { mountsQuery } from '../../server/queries/mounts.ts'
import { sightOf } from './sight.ts'
import { folderOf } from './user-fields.ts'

/** Asks for a folder that a user shall see. `base` is what the administrator sees, from the root of the server. */
export function ScopeDialog({ base, answer }: QuestionProps<{ base: string }, string>) {
  const { t } = useTranslation()
  const { data: mounts } = useSuspenseQuery(mountsQuery())
  return (
    <PickFolderDialog
      title={t('settings.user.chooseFolder')}
      choiceAt={(path) => folderOf(`${base}/${path}`)}
      noteOn={(folder) => sightOf(folder, rootsOf(mounts))}
      answer={answer}
    />
  )
}
