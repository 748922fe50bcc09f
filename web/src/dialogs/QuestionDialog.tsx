import { useTranslation } from '../i18n/i18n.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog, type DialogProps } from '../ui/Dialog.tsx'

interface QuestionDialogProps extends Omit<DialogProps, 'onClose'> {
  /** Called with null where the dialog is closed without an answer. */
  answer: (nothing: null) => void
  /** Enter answers no: the focus begins on "Cancel". */
  isCancelFirst?: boolean
}

/** A question, with "Cancel" before the buttons that answer it. */
export function QuestionDialog({ answer, isCancelFirst = false, actions, ...dialog }: QuestionDialogProps) {
  const { t } = useTranslation()
  return (
    <Dialog
      {...dialog}
      onClose={() => answer(null)}
      actions={
        <>
          <Button look="line" data-autofocus={isCancelFirst ? '' : undefined} onClick={() => answer(null)}>
            {t('buttons.cancel')}
          </Button>
          {actions}
        </>
      }
    />
  )
}
