import { MountHistory } from '@filestead/contract'
import type { KeepStores } from '../storage/keeping.ts'
import { firstMount } from './location.ts'

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

/** Of one that is added: it keeps what the first one keeps, so that an administrator is asked once. */
export function newHistory(
  mounts: readonly { readonly id: number; readonly history?: MountHistory | undefined }[],
): MountHistory {
  const first = mounts.find(({ id }) => id === firstMount)?.history ?? usualHistory
  const { trash, trashDays, trashShare, versions, versionDays, versionShare } = first
  return { ...usualHistory, trash, trashDays, trashShare, versions, versionDays, versionShare }
}

/** From a row, which may be of an earlier version; what makes no sense is as usual. */
export function parseHistory(text: string): MountHistory {
  const parsed = MountHistory.partial().safeParse(JSON.parse(text))
  return { ...usualHistory, ...(parsed.success ? parsed.data : {}) }
}

export const storesOf = ({ trash, versions }: MountHistory): KeepStores => ({ trash: trash === 'on', versions })
