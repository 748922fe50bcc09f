import { refreshFolders } from '../../api/resources.ts'
import { showFailure } from '../../api/show-failure.ts'
import { savePreferences } from '../../api/users.ts'
import { type ShownSorting, wiredSorting } from './grid/sorting.ts'

/** The order is the user's, not the folder's: saved first, then the server lists anew. */
export async function sortFolder(folder: string, sorting: ShownSorting): Promise<void> {
  try {
    await savePreferences({ sorting: wiredSorting(sorting) })
    await refreshFolders(folder)
  } catch (error) {
    showFailure(error)
  }
}
