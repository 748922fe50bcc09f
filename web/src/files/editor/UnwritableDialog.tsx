import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'

/** The encoding of the file cannot hold some characters. They are not replaced by question marks without asking. */
export function UnwritableDialog({ encoding, answer }: QuestionProps<{ encoding: string }, 'utf-8'>) {
  const { t } = useTranslation()
  return (
    <QuestionDialog
      title={t('editor.unwritableTitle')}
      isAlert
      width="narrow"
      answer={answer}
      actions={
        <Button look="primary" data-autofocus="" onClick={() => answer('utf-8')}>
          {t('editor.saveAsUtf8')}
        </Button>
      }
    >
      <p>{t('editor.unwritable', { encoding })}</p>
    </QuestionDialog>
  )
}
