import type { Mount } from '@filestead/contract'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { PickFolderDialog } from '../operations/PickFolderDialog.tsx'
import { type Place, pathOf, placeOf } from './places.ts'

interface FolderDialogProps {
  mounts: readonly Mount[]
  /** The folder at which the tree is open. */
  from?: Place
}

/** Asks for one of the folders that the administrator sees. */
export function FolderDialog({ mounts, from, answer }: QuestionProps<FolderDialogProps, Place>) {
  const { t } = useTranslation()
  return (
    <PickFolderDialog
      title={t('rights.pick')}
      from={(from && pathOf(from, mounts)) ?? '/'}
      choiceAt={(path) => placeOf(path, mounts)}
      answer={answer}
    />
  )
}
