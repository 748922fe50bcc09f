import { ignoring } from '../failure.ts'
import type { Storage } from '../storage/port.ts'
import { atPlace } from './places.ts'
import type { Upload } from './store.ts'
import type { Uploads } from './uploads.ts'

/**
 * A server that dies at the very end of an upload leaves its row, though it has become a file. Each run deletes such rows of
 * dead nodes, and looks once at each. All other rows without a draft wait until they expire: the disk of the draft may not be
 * mounted now.
 */
export function uploadRecovery({ store, node, storageAt }: Pick<Uploads, 'store' | 'node' | 'storageAt'>) {
  /** With their nodes: another one may go on with an upload, and die as well. One that was taken for dead may come back. */
  let judged = new Set<string>()

  return async (): Promise<void> => {
    const dead = (await store.nodes()).filter((each) => !node.isAlive(each))
    const left = (await Promise.all(dead.map((each) => store.ofNode(each)))).flat()
    const keyOf = (upload: Upload) => `${upload.node} ${upload.id}`
    judged = judged.intersection(new Set(left.map(keyOf)))
    for (const upload of left) {
      if (judged.has(keyOf(upload))) continue
      if (await hasBecomeFile(storageAt, upload)) await store.delete(upload.id)
      judged.add(keyOf(upload))
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
    const draft = await storage.openDraft(path, id).catch(ignoring('not-found'))
    draft?.close()
    if (draft !== undefined) return false
    const { kind, size, seconds } = await storage.stat(path)
    return kind === 'file' && size === length && Math.abs(seconds * 1000 - (modified ?? seconds * 1000)) < clockStep
  }).catch(() => false)
