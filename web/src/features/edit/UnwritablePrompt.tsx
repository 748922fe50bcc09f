import { useTranslation } from 'react-i18next'
import type { PromptProps } from '../../prompts/prompts.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'

/** Characters that the file's encoding cannot hold: better asked than replaced by question marks. */
export function UnwritablePrompt({ encoding, answer }: PromptProps<{ encoding: string }, 'utf-8'>) {
  const { t } = useTranslation()
  return (
    <Dialog
      title={t('editor.unwritableTitle')}
      isAlert
      width="narrow"
      onClose={() => answer(null)}
      actions={
        <>
          <Button look="line" onClick={() => answer(null)}>
            {t('buttons.cancel')}
          </Button>
          <Button look="primary" data-autofocus="" onClick={() => answer('utf-8')}>
            {t('editor.saveAsUtf8')}
          </Button>
        </>
      }
    >
      <p>{t('editor.unwritable', { encoding })}</p>
    </Dialog>
  )
}
