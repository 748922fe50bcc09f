import { askWith } from './prompts.ts'

/** What becomes of a text that is not saved yet, before it is left. `null` means: stay. */
export const askAboutChanges = (): Promise<'save' | 'discard' | null> =>
  askWith(async () => (await import('./UnsavedChangesPrompt.tsx')).UnsavedChangesPrompt, {})
