import { hiddenBeside, parsePath, type VirtualPath } from '../path.ts'
import type { Storage } from '../port.ts'
import type { RemoteFiles } from './files.ts'
import type { RemoteMount } from './mounted.ts'
import { type Patience, patient } from './patience.ts'
import { type RemoteParts, remoteOf } from './remote.ts'
import { remoteStorage } from './storage.ts'

export interface RemoteMountParts extends Omit<RemoteParts, 'files'> {
  readonly kind: RemoteMount['kind']
  /** Does unfinished work exist that the draft at this place is part of? As of `ThreadedDisk`. */
  isKnownDraft(place: string): Promise<boolean>
  /** In seconds: drafts of no known work that are younger may belong to work that is about to be noted. */
  readonly orphanAge?: number | undefined
  /** Hears that the server could not be asked. */
  readonly lost?: (() => void) | undefined
  /** For tests. */
  readonly patience?: Patience | undefined
}

const youngest = 3600

/** Files of a server elsewhere, as what stands behind a mount. */
export function remoteMount(inner: RemoteFiles, parts: RemoteMountParts): RemoteMount {
  const { kind, records, isKnownDraft, orphanAge = youngest, patience, lost } = parts
  const { files, isBusy } = patient(inner, patience, lost)
  const remote = remoteOf({ ...parts, files })
  const storages = new Map<string, Storage>()

  async function clearDraft(path: VirtualPath, id: string): Promise<void> {
    await files.dropDraft(path, id)
    await records.drafts.forget(path, id)
  }

  return {
    kind,
    get weaknesses() {
      return files.abilities.weaknesses
    },
    storageAt(folder) {
      const storage = storages.get(folder) ?? remoteStorage(remote, parsePath(folder))
      if (storages.size >= mostStorages) storages.clear()
      storages.set(folder, storage)
      return storage
    },
    async clearDrafts() {
      const before = Date.now() / 1000 - orphanAge
      for (const { path, id, savedAt } of await records.abandoned())
        if (savedAt < before && !(await isKnownDraft(hiddenBeside(path, id)))) await clearDraft(path, id)
      for (const { path, id, savedAt } of await records.transfers.all())
        if (savedAt < before && !(await isKnownDraft(hiddenBeside(path, id)))) await records.transfers.forget(path, id)
    },
    isBusy: () => isBusy() || remote.open.drafts > 0,
    probe: () => files.probe(),
    close: () => files.close(),
  }
}

const mostStorages = 1000
