import { type Mount, type MountRequest, nameOf } from '@filestead/contract'
import { checkHistory, type HistoryFields, type HistoryProblems, historyFieldsOf } from './history-fields.ts'

/** What the form about a root folder holds. */
export interface MountFields extends Required<Omit<MountRequest, 'history'>> {
  history: HistoryFields
}

/** The folder and the links of the first mount are chosen at the start of the server. */
export const isFirst = (mount: Mount | null): boolean => mount?.id === 1

export const fieldsOf = (mount: Mount | null): MountFields => ({
  name: mount?.name ?? '',
  folder: mount?.folder ?? '',
  links: mount?.links ?? 'inside',
  readOnly: mount?.readOnly ?? false,
  history: historyFieldsOf(mount),
})

export type MountProblems = {
  name?: 'emptyName' | 'slashInName' | 'reservedName'
  folder?: 'emptyFolder'
  history?: HistoryProblems
}

/** What the server would refuse, said before it has to. */
export function checkMount({ name, folder, history }: MountFields, isFolderAsked: boolean): MountProblems {
  const problems = checkHistory(history)
  return {
    ...(name.trim() === '' && { name: 'emptyName' }),
    ...(name.includes('/') && { name: 'slashInName' }),
    ...(/^home$/i.test(name.trim()) && { name: 'reservedName' }),
    ...(isFolderAsked && folder.trim() === '' && { folder: 'emptyFolder' }),
    ...(Object.keys(problems).length > 0 && { history: problems }),
  }
}

/** The name that a folder suggests: its own. */
export const suggestedName = (folder: string): string => nameOf(folder.trim().replace(/\/+$/, ''))

/** Where something stands, in the letters that people read. */
export const exampleAddress = (...names: string[]): string => `/files/${names.join('/')}`
