import type { QuestionProps } from '../../dialogs/ask.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { FolderRights } from './FolderRights.tsx'

/** The same as in the details, asked for by name. */
export function FolderRightsDialog({ path, answer }: QuestionProps<{ path: string }, never>) {
  const { t } = useTranslation()
  return (
    <Dialog
      title={t('info.whoCanSee')}
      onClose={() => answer(null)}
      actions={
        <Button look="primary" data-autofocus="" onClick={() => answer(null)}>
          {t('buttons.close')}
        </Button>
      }
    >
      <FolderRights path={path} isAsked />
    </Dialog>
  )
}
