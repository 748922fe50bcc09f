import { useTranslation } from 'react-i18next'
import { PromptDialog } from '../../prompts/PromptDialog.tsx'
import type { PromptProps } from '../../prompts/prompts.ts'
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
