import { isFailure } from '../failure.ts'
import type { Storage } from '../storage/port.ts'
import { atPlace } from './places.ts'
import type { Upload } from './store.ts'
import type { Uploads } from './uploads.ts'

/**
 * A server that dies at the very end of an upload leaves its row, though it has become a file. Each run deletes such rows of
 * nodes that have died since the last one. All other rows without a draft wait until they expire: the disk of the draft may
 * not be mounted now.
 */
export function uploadRecovery({ store, node, storageAt }: Pick<Uploads, 'store' | 'node' | 'storageAt'>) {
  const judged = new Set<string>()

  async function deleteFinished(dead: string): Promise<void> {
    for (const upload of await store.ofNode(dead))
      if (await hasBecomeFile(storageAt, upload)) await store.delete(upload.id)
  }

  return async (): Promise<void> => {
    for (const each of await store.nodes()) {
      if (judged.has(each) || node.isAlive(each)) continue
      await deleteFinished(each)
      judged.add(each)
    }
  }
}

/** In milliseconds: some file systems keep even seconds only. */
const clockStep = 2000

const hasBecomeFile = (
  storageAt: (base: string) => Storage,
  { id, place, length, modified }: Upload,
): Promise<boolean> =>
  atPlace(storageAt, place, async (storage, path) => {
    const draft = await storage.openDraft(path, id).catch(ignoringMissing)
    draft?.close()
    if (draft !== undefined) return false
    const { kind, size, seconds } = await storage.stat(path)
    return kind === 'file' && size === length && Math.abs(seconds * 1000 - (modified ?? seconds * 1000)) < clockStep
  }).catch(() => false)

function ignoringMissing(error: unknown): undefined {
  if (!isFailure(error, 'not-found')) throw error
}
