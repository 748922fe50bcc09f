import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PromptProps } from '../../prompts/prompts.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'

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
    <Dialog
      title={t('editor.changedTitle')}
      isAlert
      width={isComparing ? 'widest' : 'wide'}
      onClose={() => answer(null)}
      asideAction={
        !isComparing && (
          <Button icon="split" onClick={() => setIsComparing(true)}>
            {t('editor.compare')}
          </Button>
        )
      }
      actions={
        <>
          <Button look="line" data-autofocus="" onClick={() => answer(null)}>
            {t('buttons.cancel')}
          </Button>
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
    </Dialog>
  )
}
