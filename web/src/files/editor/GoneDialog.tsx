import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'

/** The file was removed or moved since it was read. The text would be nowhere but in the editor. */
export function GoneDialog({ name, answer }: QuestionProps<{ name: string }, 'save'>) {
  const { t } = useTranslation()
  return (
    <QuestionDialog
      title={t('failures.notFound')}
      isAlert
      width="narrow"
      answer={answer}
      actions={
        <Button look="primary" data-autofocus="" onClick={() => answer('save')}>
          {t('editor.save')}
        </Button>
      }
    >
      <p>{t('editor.goneText', { name })}</p>
    </QuestionDialog>
  )
}
