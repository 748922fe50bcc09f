import { parentOf, parsePath } from '../path.ts'
import type { RemoteFiles } from '../remote/files.ts'
import { type RemoteRecords, remoteOf } from '../remote/remote.ts'
import { remoteStorage } from '../remote/storage.ts'
import { keepingParts } from './keeping.fixture.ts'
import type { Subject } from './subject.fixture.ts'

/** A storage over files elsewhere, as the suite takes it. The root of the files is empty. */
export function remoteSubject(
  files: RemoteFiles,
  records: RemoteRecords,
  doors: Partial<Pick<Subject, 'link' | 'root' | 'wholeSeconds' | 'fill'>> = {},
): Subject {
  const { stores, tell, effectsOf } = keepingParts()
  const storage = remoteStorage(remoteOf({ files, records, stores, tell }))
  return {
    storage,
    root: files.root ?? '/',
    async link(target, path) {
      await storage.createFolder(parentOf(parsePath(path)))
      await files.makeLink?.(parsePath(path), target)
    },
    async fill(folder, names) {
      await storage.createFolder(parsePath(folder))
      await storage.fill(
        parsePath(folder),
        names.map((name) => ({ path: parsePath(`/${name}`), kind: 'file' })),
      )
    },
    keeping: { base: '', effectsOf },
    losesOpenFiles: true,
    ...doors,
  }
}
