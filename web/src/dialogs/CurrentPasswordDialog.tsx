import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from '../i18n/i18n.ts'
import { Button } from '../ui/Button.tsx'
import { PasswordField } from '../ui/Field.tsx'
import type { QuestionProps } from './ask.ts'
import { QuestionDialog } from './QuestionDialog.tsx'

/** `question` is what the password answers with yes, where that is something that cannot be taken back. */
export function CurrentPasswordDialog({ question, answer }: QuestionProps<{ question?: string }, string>) {
  const { t } = useTranslation()
  const form = useId()
  const [password, setPassword] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    if (password !== '') answer(password)
  }

  return (
    <QuestionDialog
      title={t('prompts.yourPassword')}
      width="narrow"
      answer={answer}
      actions={
        <Button
          look={question === undefined ? 'primary' : 'danger'}
          type="submit"
          form={form}
          disabled={password === ''}
        >
          {t('buttons.ok')}
        </Button>
      }
    >
      {question !== undefined && <p>{question}</p>}
      <p>{t('prompts.confirmIdentity')}</p>
      <form id={form} onSubmit={submit}>
        <PasswordField
          label={t('prompts.yourPassword')}
          showLabel={t('buttons.showPassword')}
          capsLockLabel={t('frame.capsLock')}
          autoComplete="current-password"
          data-autofocus=""
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </form>
    </QuestionDialog>
  )
}
