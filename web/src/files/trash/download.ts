import { inPast } from '../../server/queries/past.ts'
import { rawUrl } from '../../server/queries/resources.ts'
import { currentSession } from '../../server/session.ts'
import { saveArchive, saveFile } from '../download/save.ts'

/** Files as they are, folders as zip archives, each by itself: they may have lain anywhere. */
export function saveEntries(entries: readonly { path: string; isDir: boolean; past: string }[]): void {
  for (const { path, isDir, past } of entries) {
    const address = inPast(rawUrl(path), past)
    if (isDir) saveArchive({ folder: address, names: [], format: 'zip', token: currentSession()?.token })
    else saveFile(address)
  }
}
