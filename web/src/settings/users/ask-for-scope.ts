import { askWith } from '../../dialogs/ask.ts'
import { cache } from '../../server/queries/cache.ts'
import { userQuery } from '../../server/queries/users.ts'
import { currentSession } from '../../server/session.ts'

/** Asks for a folder. An administrator with a scope picks below it; the answer counts from the root of the server. */
export async function askForScope(): Promise<string | null> {
  const { scope } = await cache().fetchQuery(userQuery(currentSession()?.user.id ?? 0))
  return askWith(async () => (await import('./ScopeDialog.tsx')).ScopeDialog, { base: scope })
}
