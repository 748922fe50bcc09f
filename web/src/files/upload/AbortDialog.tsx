import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'

export function AbortDialog({ count, answer }: QuestionProps<{ count: number }, true>) {
  const { t } = useTranslation()
  return (
    <QuestionDialog
      title={t('upload.abortUpload')}
      isAlert
      width="narrow"
      answer={answer}
      isCancelFirst
      actions={
        <Button look="danger" onClick={() => answer(true)}>
          {t('upload.abort')}
        </Button>
      }
    >
      <p>{count === 1 ? t('upload.abortQuestionOne') : t('upload.abortQuestion', { count })}</p>
    </QuestionDialog>
  )
}
