import { useTranslation } from 'react-i18next'
import type { PromptProps } from '../../prompts/prompts.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'

export function AbortDialog({ count, answer }: PromptProps<{ count: number }, true>) {
  const { t } = useTranslation()
  return (
    <Dialog
      title={t('upload.abortUpload')}
      isAlert
      width="narrow"
      onClose={() => answer(null)}
      actions={
        <>
          <Button data-autofocus onClick={() => answer(null)}>
            {t('buttons.cancel')}
          </Button>
          <Button look="danger" onClick={() => answer(true)}>
            {t('upload.abort')}
          </Button>
        </>
      }
    >
      <p>{count === 1 ? t('upload.abortQuestionOne') : t('upload.abortQuestion', { count })}</p>
    </Dialog>
  )
}
