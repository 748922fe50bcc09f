import { useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { FolderPicker, type PickedFolder } from '../../files/operations/FolderPicker.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { folderOf } from './user-fields.ts'

const nothing: ReadonlySet<string> = new Set()

/** Asks for a folder that a user shall see. `base` is what the administrator sees, from the root of the server. */
export function ScopeDialog({ base, answer }: QuestionProps<{ base: string }, string>) {
  const { t } = useTranslation()
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
      <p aria-live="polite">
        {folder === '/' ? t('settings.user.seesEverything') : t('settings.user.seesFolder', { path: folder })}
      </p>
    </QuestionDialog>
  )
}
