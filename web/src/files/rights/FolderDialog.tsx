import type { Mount } from '@filestead/contract'
import { useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { FolderPicker, type PickedFolder } from '../operations/FolderPicker.tsx'
import { type Place, pathOf, placeOf } from './places.ts'

const nothing: ReadonlySet<string> = new Set()

interface FolderDialogProps {
  mounts: readonly Mount[]
  /** The folder at which the tree is open. */
  from?: Place
}

/** Asks for one of the folders that the administrator sees. */
export function FolderDialog({ mounts, from, answer }: QuestionProps<FolderDialogProps, Place>) {
  const { t } = useTranslation()
  const [shown, setShown] = useState((from && pathOf(from, mounts)) ?? '/')
  const [picked, setPicked] = useState<PickedFolder | null>(null)
  const place = placeOf(picked?.path ?? shown, mounts)

  function enter(path: string) {
    setShown(path)
    setPicked(null)
  }

  function confirm() {
    if (place !== null) answer(place)
  }

  return (
    <QuestionDialog
      title={t('rights.pick')}
      answer={answer}
      actions={
        <Button look="primary" disabled={place === null} onClick={confirm}>
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
    </QuestionDialog>
  )
}
