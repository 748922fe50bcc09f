import { askWith } from './prompts.ts'

/** Asks for the password of the account, where the server wants it again. `null` means "cancelled". */
export const askCurrentPassword = (question?: string): Promise<string | null> =>
  askWith(
    async () => (await import('./CurrentPasswordPrompt.tsx')).CurrentPasswordPrompt,
    question === undefined ? {} : { question },
  )
