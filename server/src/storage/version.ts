import { Failure } from '../failure.ts'
import type { Entry } from './entry.ts'
import type { Precondition, RemovePrecondition } from './port.ts'

/** Refuses another version than those a precondition names. */
export function requireVersion(precondition: Precondition, current: Entry | undefined): void {
  if (typeof precondition === 'string' || current === undefined) return
  if (!precondition.includes(current.version))
    throw new Failure('changed-meanwhile', 'The file was changed since it was opened')
}

/** Refuses to remove what is not what a precondition names. Whether a folder is empty is for the removal itself to find. */
export function requireOnly(only: RemovePrecondition | undefined, isFolder: boolean, version: () => string): void {
  if (only === 'empty' && !isFolder) throw new Failure('invalid', 'this is not a folder')
  if (typeof only === 'object' && (isFolder || version() !== only.version))
    throw new Failure('changed-meanwhile', 'The file was changed meanwhile')
}
