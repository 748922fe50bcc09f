import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { FolderPicker, type PickedFolder } from '../../files/operations/FolderPicker.tsx'
import { rootsOf } from '../../files/rights/places.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { mountsQuery } from '../../server/queries/mounts.ts'
import { Button } from '../../ui/Button.tsx'
import { sightOf } from './sight.ts'
import { folderOf } from './user-fields.ts'

const nothing: ReadonlySet<string> = new Set()

/** Asks for a folder that a user shall see. `base` is what the administrator sees, from the root of the server. */
export function ScopeDialog({ base, answer }: QuestionProps<{ base: string }, string>) {
  const { t } = useTranslation()
  const { data: mounts } = useSuspenseQuery(mountsQuery())
  const [shown, setShown] = useState('/')
  const [picked, setPicked] = useState<PickedFolder | null>(null)
  const folder = folderOf(`${base}/${picked?.path ?? shown}`)

  function enter(path: string) {
    setShown(path)
    setPicked(null)
  }

  return (
    <QuestionDialog
      title={t('settings.user.chooseFolder')}
      answer={answer}
      actions={
        <Button look="primary" onClick={() => answer(folder)}>
          {t('buttons.ok')}
        </Button>
      }
    >
      <FolderPicker
        shown={shown}
        picked={picked}
        excluded={nothing}
        onEnter={enter}
        onPick={setPicked}
        onConfirm={() => answer(folder)}
      />
      <p aria-live="polite">{sightOf(folder, rootsOf(mounts))}</p>
    </QuestionDialog>
  )
}
