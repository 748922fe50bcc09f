import { showFailure } from '../api/show-failure.ts'
import { askWith } from '../prompts/prompts.ts'

/** What becomes of a text that is not saved yet, before it is left. `null` means: stay; so does a question not to be had. */
export const askAboutChanges = (): Promise<'save' | 'discard' | null> =>
  askWith(async () => (await import('../prompts/UnsavedChangesPrompt.tsx')).UnsavedChangesPrompt, {}).catch((error) => {
    showFailure(error)
    return null
  })
