import type { QuestionProps } from '../dialogs/ask.ts'
import { QuestionDialog } from '../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../i18n/i18n.ts'
import { Button } from '../ui/Button.tsx'

/** Asks before signing out stops the unfinished work of the session. */
export function SignOutDialog({ unfinished, answer }: QuestionProps<{ unfinished: readonly string[] }, true>) {
  const { t } = useTranslation()
  return (
    <QuestionDialog
      title={t('frame.logout')}
      isAlert
      width="narrow"
      answer={answer}
      isCancelFirst
      actions={
        <Button look="danger" onClick={() => answer(true)}>
          {t('frame.logout')}
        </Button>
      }
    >
      <p>{t('frame.logoutStops')}</p>
      <ul>
        {unfinished.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </QuestionDialog>
  )
}
