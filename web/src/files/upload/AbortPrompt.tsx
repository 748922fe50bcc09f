import { PromptDialog } from '../../dialogs/PromptDialog.tsx'
import type { PromptProps } from '../../dialogs/prompts.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'

export function AbortPrompt({ count, answer }: PromptProps<{ count: number }, true>) {
  const { t } = useTranslation()
  return (
    <PromptDialog
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
    </PromptDialog>
  )
}
