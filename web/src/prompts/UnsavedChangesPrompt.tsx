import { useTranslation } from 'react-i18next'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import type { PromptProps } from './prompts.ts'

export function UnsavedChangesPrompt({ answer }: PromptProps<object, 'save' | 'discard'>) {
  const { t } = useTranslation()
  return (
    <Dialog
      title={t('prompts.unsavedTitle')}
      isAlert
      onClose={() => answer(null)}
      asideAction={
        <Button look="danger-quiet" onClick={() => answer('discard')}>
          {t('prompts.discard')}
        </Button>
      }
      actions={
        <>
          <Button look="line" onClick={() => answer(null)}>
            {t('buttons.cancel')}
          </Button>
          <Button look="primary" data-autofocus="" onClick={() => answer('save')}>
            {t('prompts.saveChanges')}
          </Button>
        </>
      }
    >
      <p>{t('prompts.unsavedText')}</p>
    </Dialog>
  )
}
