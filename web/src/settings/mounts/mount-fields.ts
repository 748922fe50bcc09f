import type { Mount, MountRequest } from '@filestead/contract'
import { checkHistory, type HistoryFields, type HistoryProblems, historyFieldsOf } from './history-fields.ts'
import { checkStorage, type StorageFields, type StorageProblems, storageFieldsOf } from './storage-fields.ts'

/** What the form about a root folder holds. */
export interface MountFields extends Required<Omit<MountRequest, 'folder' | 'history'>> {
  storage: StorageFields
  history: HistoryFields
}

/** The folder and the links of the first mount are chosen at the start of the server. */
export const isFirst = (mount: Mount | null): boolean => mount?.id === 1

/** The addresses of a mount that has no others beside it begin without its name. */
export const isAlone = (mount: Mount | null): boolean => mount?.path === '/'

export const fieldsOf = (mount: Mount | null): MountFields => ({
  name: mount?.name ?? '',
  storage: storageFieldsOf(mount?.folder ?? ''),
  links: mount?.links ?? 'inside',
  readOnly: mount?.readOnly ?? false,
  history: historyFieldsOf(mount),
})

export type MountProblems = {
  name?: 'emptyName' | 'slashInName' | 'reservedName'
  storage?: StorageProblems
  history?: HistoryProblems
}

/** What the server would refuse, said before it has to. */
export function checkMount({ name, storage, history }: MountFields, isStorageAsked: boolean): MountProblems {
  const ofStorage = isStorageAsked ? checkStorage(storage) : {}
  const ofHistory = checkHistory(history, storage.kind === 'disk')
  return {
    ...(name.trim() === '' && { name: 'emptyName' }),
    ...(name.includes('/') && { name: 'slashInName' }),
    ...(/^home$/i.test(name.trim()) && { name: 'reservedName' }),
    ...(Object.keys(ofStorage).length > 0 && { storage: ofStorage }),
    ...(Object.keys(ofHistory).length > 0 && { history: ofHistory }),
  }
}

/** Where something stands, in the letters that people read. */
export const exampleAddress = (...names: string[]): string => `/files/${names.join('/')}`
