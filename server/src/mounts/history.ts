import { MountHistory } from '@filestead/contract'
import type { KeepStores } from '../storage/keeping.ts'

/** Of a new mount. */
export const usualHistory: MountHistory = {
  trash: 'on',
  trashDays: 30,
  trashShare: 20,
  versions: true,
  versionDays: 0,
  versionShare: 50,
  snapshots: 'auto',
  snapshotFolder: '',
  snapshotPattern: '',
  snapshotInside: '',
  snapshotIsLocal: true,
}

/** From a row, which may be of an earlier version; what makes no sense is as usual. */
export function parseHistory(text: string): MountHistory {
  const parsed = MountHistory.partial().safeParse(JSON.parse(text))
  return { ...usualHistory, ...(parsed.success ? parsed.data : {}) }
}

export const storesOf = ({ trash, versions }: MountHistory): KeepStores => ({ trash: trash === 'on', versions })
