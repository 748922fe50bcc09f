import { useTranslation } from '../i18n/i18n.ts'
import { Button } from '../ui/Button.tsx'
import type { QuestionProps } from './ask.ts'
import { QuestionDialog } from './QuestionDialog.tsx'

export function UnsavedChangesDialog({ answer }: QuestionProps<object, 'save' | 'discard'>) {
  const { t } = useTranslation()
  return (
    <QuestionDialog
      title={t('prompts.unsavedTitle')}
      isAlert
      answer={answer}
      asideAction={
        <Button look="danger-quiet" onClick={() => answer('discard')}>
          {t('prompts.discard')}
        </Button>
      }
      actions={
        <Button look="primary" data-autofocus="" onClick={() => answer('save')}>
          {t('prompts.saveChanges')}
        </Button>
      }
    >
      <p>{t('prompts.unsavedText')}</p>
    </QuestionDialog>
  )
}
