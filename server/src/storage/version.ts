import { Failure } from '../failure.ts'
import type { Entry, Precondition } from './port.ts'

/** Changes with every save: time and size, and the file's identity for two saves within one tick of the clock. */
export const versionOf = ({ seconds, nanoseconds, size, inode }: Entry): string =>
  `"${(BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds)).toString(16)}${size.toString(16)}-${inode.toString(16)}"`

/** Refuses another version than those a precondition names. */
export function requireVersion(precondition: Precondition, current: Entry | undefined): void {
  if (typeof precondition === 'string' || current === undefined) return
  if (!precondition.includes(versionOf(current)))
    throw new Failure('changed-meanwhile', 'The file was changed since it was opened')
}
