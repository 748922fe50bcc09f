import { Suspense } from 'react'
import { usePrompts } from './prompts.ts'

/** The open questions, oldest first: the newest lies on top and is answered first. */
export function PromptStack() {
  return usePrompts().map(({ id, element }) => (
    <Suspense key={id} fallback={null}>
      {element}
    </Suspense>
  ))
}
