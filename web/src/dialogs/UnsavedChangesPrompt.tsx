import { useTranslation } from '../i18n/i18n.ts'
import { Button } from '../ui/Button.tsx'
import { PromptDialog } from './PromptDialog.tsx'
import type { PromptProps } from './prompts.ts'

export function UnsavedChangesPrompt({ answer }: PromptProps<object, 'save' | 'discard'>) {
  const { t } = useTranslation()
  return (
    <PromptDialog
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
    </PromptDialog>
  )
}
