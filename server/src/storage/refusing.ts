import { Failure } from '../failure.ts'
import { keepsNothing } from './keeping.ts'
import type { Storage } from './port.ts'

type ReadingVerb =
  | 'capabilities'
  | ('stat' | 'list' | 'names' | 'describe' | 'visitBelow' | 'peek' | 'readFiles' | 'open' | 'readHead' | 'find')
  | ('exact' | 'resolve' | 'usage' | 'beneath')

/** The verbs of a storage that can only be read: whatever would change something is refused. */
export function refusingChanges(message: string): Omit<Storage, ReadingVerb> {
  const refuse = async (): Promise<never> => {
    throw new Failure('forbidden', message)
  }
  return {
    ...keepsNothing,
    write: refuse,
    beginDraft: refuse,
    openDraft: refuse,
    completeDraft: refuse,
    dropDraft: refuse,
    fill: refuse,
    secure: refuse,
    createFolder: refuse,
    rename: refuse,
    copy: refuse,
    stage: refuse,
    publish: refuse,
    unstage: refuse,
    remove: refuse,
    restore: refuse,
    purge: refuse,
  }
}
