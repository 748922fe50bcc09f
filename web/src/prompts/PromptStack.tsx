import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useAfterAWhile } from '../ui/after-a-while.ts'
import { Spinner } from '../ui/Button.tsx'
import styles from './PromptStack.module.css'
import { useLoadingPrompt, usePrompts } from './prompts.ts'

/** The open questions, oldest first: the newest lies on top and is answered first. */
export function PromptStack() {
  const loading = useLoadingPrompt()
  return (
    <>
      {usePrompts().map(({ id, element }) => (
        <Suspense key={id} fallback={null}>
          {element}
        </Suspense>
      ))}
      {loading !== null && <OnItsWay onGiveUp={loading.giveUp} />}
    </>
  )
}

/** Below this nobody notices that a question had to be fetched. */
const patience = 300

/** Stands where the question will. A click gives it up, as beside any question. */
function OnItsWay({ onGiveUp }: { onGiveUp: () => void }) {
  const { t } = useTranslation()
  if (!useAfterAWhile(patience)) return null
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is heard wherever the focus is
    <div
      role="status"
      aria-label={t('frame.loading')}
      className={styles.onItsWay}
      onClick={(event) => event.detail < 2 && onGiveUp()}
    >
      <Spinner />
    </div>
  )
}
