import { useTranslation } from 'react-i18next'
import { PromptDialog } from '../../prompts/PromptDialog.tsx'
import type { PromptProps } from '../../prompts/prompts.ts'
import { Button } from '../../ui/Button.tsx'

/** Characters that the file's encoding cannot hold: better asked than replaced by question marks. */
export function UnwritablePrompt({ encoding, answer }: PromptProps<{ encoding: string }, 'utf-8'>) {
  const { t } = useTranslation()
  return (
    <PromptDialog
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
    </PromptDialog>
  )
}
