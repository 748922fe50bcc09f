import { Suspense } from 'react'
import { usePrompts } from './prompts.ts'

/** The open questions, oldest first: the newest lies on top and is answered first. */
export function PromptStack() {
  return usePrompts().map(({ id, component: Prompt, question, answer }) => (
    <Suspense key={id} fallback={null}>
      <Prompt {...question} answer={answer} />
    </Suspense>
  ))
}
