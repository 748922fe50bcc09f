import { Failure } from '../failure.ts'
import type { Entry } from './entry.ts'
import type { Precondition } from './port.ts'

/** Refuses another version than those a precondition names. */
export function requireVersion(precondition: Precondition, current: Entry | undefined): void {
  if (typeof precondition === 'string' || current === undefined) return
  if (!precondition.includes(current.version))
    throw new Failure('changed-meanwhile', 'The file was changed since it was opened')
}
