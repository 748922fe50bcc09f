import { type ReactNode, useState } from 'react'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { FolderPicker, type PickedFolder } from './FolderPicker.tsx'

const nothing: ReadonlySet<string> = new Set()

interface PickFolderDialogProps<Choice> {
  title: string
  /** The folder at which the tree is open. */
  from?: string
  /** What the folder at a path means as an answer; null where it cannot be one. */
  choiceAt: (path: string) => Choice | null
  /** What there is to say about a choice. */
  noteOn?: (choice: Choice) => ReactNode
  answer: (choice: Choice | null) => void
}

/** Asks for a folder out of the tree that the person sees. */
export function PickFolderDialog<Choice>({
  title,
  from = '/',
  choiceAt,
  noteOn,
  answer,
}: PickFolderDialogProps<Choice>) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(from)
  const [picked, setPicked] = useState<PickedFolder | null>(null)
  const choice = choiceAt(picked?.path ?? shown)

  function enter(path: string) {
    setShown(path)
    setPicked(null)
  }

  function confirm() {
    if (choice !== null) answer(choice)
  }

  return (
    <QuestionDialog
      title={title}
      answer={answer}
      actions={
        <Button look="primary" disabled={choice === null} onClick={confirm}>
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
        onConfirm={confirm}
      />
      {noteOn !== undefined && choice !== null && <p aria-live="polite">{noteOn(choice)}</p>}
    </QuestionDialog>
  )
}
