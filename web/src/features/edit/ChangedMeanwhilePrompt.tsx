import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { PromptDialog } from '../../prompts/PromptDialog.tsx'
import type { PromptProps } from '../../prompts/prompts.ts'
import { Button } from '../../ui/Button.tsx'

const Comparison = lazy(async () => ({ default: (await import('./Comparison.tsx')).Comparison }))

interface Question {
  path: string
  name: string
  mine: string
}

/** Two people wrote to one file. Nobody's text goes without a look. */
export function ChangedMeanwhilePrompt({ path, name, mine, answer }: PromptProps<Question, 'mine' | 'theirs'>) {
  const { t } = useTranslation()
  const [isComparing, setIsComparing] = useState(false)
  return (
    <PromptDialog
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
      {isComparing && (
        <Suspense fallback={null}>
          <Comparison path={path} name={name} mine={mine} />
        </Suspense>
      )}
    </PromptDialog>
  )
}
