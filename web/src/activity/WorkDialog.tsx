import { useEffect } from 'react'
import type { QuestionProps } from '../dialogs/ask.ts'
import { useTranslation } from '../i18n/i18n.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Progress } from '../ui/Progress.tsx'
import type { Activity } from './activities.ts'

/** Shows how far a batch is. Closes by itself when it is finished. */
export function WorkDialog({
  activity,
  finished,
  answer,
}: QuestionProps<{ activity: Activity; finished: Promise<void> }, never>) {
  const { t } = useTranslation()
  const { title, text, share = text, progress, isAsking = false } = activity.status.use()
  const mayAnswer = isAsking && activity.answer !== undefined

  useEffect(() => {
    void finished.then(() => answer(null))
  }, [finished, answer])

  return (
    <Dialog
      title={title}
      width="narrow"
      onClose={() => answer(null)}
      actions={
        <>
          <Button look="line" onClick={() => activity.cancel()}>
            {t('change.stop')}
          </Button>
          <Button look={mayAnswer ? 'line' : 'primary'} data-autofocus="" onClick={() => answer(null)}>
            {t('change.inBackground')}
          </Button>
          {mayAnswer && (
            <Button
              look="primary"
              onClick={() => {
                answer(null)
                activity.answer?.()
              }}
            >
              {t('jobs.answer')}
            </Button>
          )}
        </>
      }
    >
      <Progress label={title} value={(progress ?? 0) * 100} text={share} />
      <p>{text}</p>
    </Dialog>
  )
}
