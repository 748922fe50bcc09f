import { useTranslation } from 'react-i18next'
import { PromptDialog } from '../prompts/PromptDialog.tsx'
import type { PromptProps } from '../prompts/prompts.ts'
import { Button } from '../ui/Button.tsx'

/** Signing out stops the work of a session: is that meant? */
export function SignOutPrompt({ unfinished, answer }: PromptProps<{ unfinished: readonly string[] }, true>) {
  const { t } = useTranslation()
  return (
    <PromptDialog
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
    </PromptDialog>
  )
}
