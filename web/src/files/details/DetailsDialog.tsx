import type { QuestionProps } from '../../dialogs/ask.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Details } from './Details.tsx'

interface DetailsQuestion {
  folder: string
  /** None for the folder itself. */
  entries: readonly Entry[]
}

/** What the pane shows, where the window has no room for a pane. */
export function DetailsDialog({ folder, entries, answer }: QuestionProps<DetailsQuestion, never>) {
  const { t } = useTranslation()
  return (
    <Dialog
      title={t('info.details')}
      onClose={() => answer(null)}
      actions={
        <Button look="primary" data-autofocus="" onClick={() => answer(null)}>
          {t('buttons.close')}
        </Button>
      }
    >
      <Details folder={folder} entries={entries} hasName />
    </Dialog>
  )
}
