import { stemOf } from '../formats/names.ts'

export type NameProblem = 'nameTaken' | 'nameHasSlash' | 'nameIsDots' | 'nameTooLong'

/** The most bytes a file system takes for one name. */
const longest = 255

/** Why an entry cannot be called this, as far as it can be told without the server. Nothing to say about no name. */
export function nameProblem(name: string, isTaken: (name: string) => boolean): NameProblem | null {
  if (name.includes('/')) return 'nameHasSlash'
  if (name === '.' || name === '..') return 'nameIsDots'
  if (new TextEncoder().encode(name).length > longest) return 'nameTooLong'
  return isTaken(name) ? 'nameTaken' : null
}

/** How much of a name is selected for renaming: what comes before the extension. */
export function stemLength(name: string, isDir: boolean): number {
  return isDir ? name.length : stemOf(name).length
}
