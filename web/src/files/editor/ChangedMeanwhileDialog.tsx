import { useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'

const Comparison = lazyPart(async () => (await import('./Comparison.tsx')).Comparison)

interface Question {
  path: string
  name: string
  mine: string
}

/** The file was saved elsewhere since it was read. Neither text is replaced without a look at both. */
export function ChangedMeanwhileDialog({ path, name, mine, answer }: QuestionProps<Question, 'mine' | 'theirs'>) {
  const { t } = useTranslation()
  const [isComparing, setIsComparing] = useState(false)
  return (
    <QuestionDialog
      title={t('editor.changedTitle')}
      isAlert
      width={isComparing ? 'widest' : 'wide'}
      answer={answer}
      isCancelFirst
      asideAction={
        !isComparing && (
          <Button icon="split" onClick={() => setIsComparing(true)}>
            {t('editor.compare')}
          </Button>
        )
      }
      actions={
        <>
          <Button look="line" onClick={() => answer('theirs')}>
            {t('editor.loadTheirs')}
          </Button>
          <Button look="primary" onClick={() => answer('mine')}>
            {t('editor.keepMine')}
          </Button>
        </>
      }
    >
      <p>{t('editor.changedText', { name })}</p>
      {isComparing && <Comparison path={path} name={name} mine={mine} />}
    </QuestionDialog>
  )
}
