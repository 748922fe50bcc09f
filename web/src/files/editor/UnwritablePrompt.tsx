import { PromptDialog } from '../../dialogs/PromptDialog.tsx'
import type { PromptProps } from '../../dialogs/prompts.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'

/** The encoding of the file cannot hold some characters. They are not replaced by question marks without asking. */
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
