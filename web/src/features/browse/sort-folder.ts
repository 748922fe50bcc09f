import { refreshFolders } from '../../api/resources.ts'
import { showFailure } from '../../api/show-failure.ts'
import { savePreferences } from '../../api/users.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { type ShownSorting, wiredSorting } from './grid/sorting.ts'

/** One after the other: what was wanted first must not be saved last. */
let saving: Promise<unknown> = Promise.resolve()

/** The order is the user's, not the folder's: saved first, then the server lists anew. */
export async function sortFolder(folder: string, sorting: ShownSorting): Promise<void> {
  const session = sessionSignal()
  const saved = saving.then(() => {
    session.throwIfAborted()
    return savePreferences({ sorting: wiredSorting(sorting) })
  })
  saving = saved.catch(() => {})
  try {
    await saved
    await refreshFolders(folder)
  } catch (error) {
    showFailure(error)
  }
}
