import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { PromptProps } from '../../prompts/prompts.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Progress } from '../../ui/Progress.tsx'
import type { Work } from './work-through.ts'

/** Shows how far a long piece of work is. Closes by itself when it is finished. */
export function WorkPrompt({ work, answer }: PromptProps<{ work: Work }, never>) {
  const { t } = useTranslation()
  const done = work.done.use()
  const text = t('change.workDone', { done, total: work.total })

  useEffect(() => {
    void work.isFinished.then(() => answer(null))
  }, [work, answer])

  return (
    <Dialog
      title={work.title}
      width="narrow"
      onClose={() => answer(null)}
      actions={
        <>
          <Button look="line" onClick={() => work.stop()}>
            {t('change.stop')}
          </Button>
          <Button look="primary" data-autofocus="" onClick={() => answer(null)}>
            {t('change.inBackground')}
          </Button>
        </>
      }
    >
      <Progress label={work.title} value={(done / work.total) * 100} text={text} />
      <p>{text}</p>
    </Dialog>
  )
}
