import type { Entry } from './entry.ts'
import type { WholeFile } from './port.ts'

/** Files whose bytes were read one behind the other; undefined for those that were not. */
interface FilesTogether {
  readonly entries: readonly (Entry | undefined)[]
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Each with the part of the bytes that is its own. */
export function wholeFilesOf({ entries, bytes }: FilesTogether): (WholeFile | undefined)[] {
  let at = 0
  return entries.map((entry) => {
    if (entry === undefined) return undefined
    at += entry.size
    return { entry, bytes: bytes.subarray(at - entry.size, at) }
  })
}
