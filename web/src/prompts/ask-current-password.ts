import { askWith } from './prompts.ts'

/** The password of the person at the keyboard, for what the server asks it for. `null` means "never mind". */
export const askCurrentPassword = (question?: string): Promise<string | null> =>
  askWith(
    async () => (await import('./CurrentPasswordPrompt.tsx')).CurrentPasswordPrompt,
    question === undefined ? {} : { question },
  )
