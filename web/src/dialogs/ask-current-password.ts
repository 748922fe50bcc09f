import { askWith } from './ask.ts'

/** Asks for the password of the account, where the server wants it again. `null` means "cancelled". */
export const askCurrentPassword = (question?: string): Promise<string | null> =>
  askWith(
    async () => (await import('./CurrentPasswordDialog.tsx')).CurrentPasswordDialog,
    question === undefined ? {} : { question },
  )
