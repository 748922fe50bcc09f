import { type Mount, type MountRequest, nameOf } from '@filestead/contract'

/** The folder and the links of the first mount are chosen at the start of the server. */
export const isFirst = (mount: Mount | null): boolean => mount?.id === 1

export const fieldsOf = (mount: Mount | null): MountRequest => ({
  name: mount?.name ?? '',
  folder: mount?.folder ?? '',
  links: mount?.links ?? 'inside',
  readOnly: mount?.readOnly ?? false,
})

export type MountProblems = { name?: 'emptyName' | 'slashInName' | 'reservedName'; folder?: 'emptyFolder' }

/** What the server would refuse, said before it has to. */
export function checkMount({ name, folder }: MountRequest, isFolderAsked: boolean): MountProblems {
  return {
    ...(name.trim() === '' && { name: 'emptyName' }),
    ...(name.includes('/') && { name: 'slashInName' }),
    ...(/^home$/i.test(name.trim()) && { name: 'reservedName' }),
    ...(isFolderAsked && folder.trim() === '' && { folder: 'emptyFolder' }),
  }
}

/** The name that a folder suggests: its own. */
export const suggestedName = (folder: string): string => nameOf(folder.trim().replace(/\/+$/, ''))

/** Where something stands, in the letters that people read. */
export const exampleAddress = (...names: string[]): string => `/files/${names.join('/')}`
