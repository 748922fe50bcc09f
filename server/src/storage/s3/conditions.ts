import { Failure } from '../../failure.ts'
import type { Precondition } from '../port.ts'
import { writeIn } from './entries.ts'
import { etagIn, versionOf } from './names.ts'
import type { Headers, ObjectHead, Objects } from './objects.ts'
import { isRefusal, isWord, S3Refusal } from './refusal.ts'

/** Which calls refuse where the target is not as it should be, as it was found by trying. */
export interface Conditions {
  readonly put: boolean
  readonly complete: boolean
  readonly copy: boolean
  readonly remove: boolean
}

export const noConditions: Conditions = { put: false, complete: false, copy: false, remove: false }

export interface Publication {
  readonly key: string
  readonly precondition: Precondition
  /** Does the server refuse in the very step? */
  readonly isConditional: boolean
  /** As it is stored with the object. */
  readonly write: string
}

/** A name that changes hands all the time is given up on. */
const mostRounds = 8

/**
 * Makes an object with a precondition: `make` is called with the headers that have the server refuse. After an answer that
 * was lost, the object itself tells whether it is the one of this write.
 */
export async function publish(
  objects: Objects,
  { key, precondition, isConditional, write }: Publication,
  make: (headers: Headers) => Promise<string>,
): Promise<string> {
  const isOurs = async (): Promise<string | undefined> => {
    const head = await objects.head(key)
    return head !== undefined && writeIn(head) === write ? head.etag : undefined
  }
  for (let round = 1; ; round += 1) {
    try {
      const head = await lookAt(objects, key, precondition, isConditional)
      return await make(isConditional ? headersFor(precondition, head) : {})
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const isUncertain = error instanceof S3Refusal && error.isUncertain
      const isRefused = isRefusal(error, 412) || (isAbout(precondition) && isWord(error, 'NoSuchKey'))
      // Also after a crash: what was done then is found now.
      const mayBeDone = isUncertain || isRefused || doneBefore.has(error.code) || isWord(error, 'NoSuchUpload')
      const ours = mayBeDone ? await isOurs() : undefined
      if (ours !== undefined) return ours
      if (isRefused && precondition !== 'present') throw refusalOf(precondition, isRefusal(error, 404))
      if (!(isRefused || isUncertain) || round >= mostRounds) throw error
    }
  }
}

const doneBefore: ReadonlySet<string> = new Set(['already-exists', 'changed-meanwhile'])

/** Is it about an object that has to be there? */
const isAbout = (precondition: Precondition): boolean => precondition !== 'any' && precondition !== 'absent'

/** The target, if it has to be looked at before: the server itself can only refuse one that is there, or another ETag. */
async function lookAt(
  objects: Objects,
  key: string,
  precondition: Precondition,
  isConditional: boolean,
): Promise<ObjectHead | undefined> {
  if (precondition === 'any' || (precondition === 'absent' && isConditional)) return undefined
  const head = await objects.head(key)
  requireTarget(key, precondition, head)
  return head
}

function headersFor(precondition: Precondition, head: ObjectHead | undefined): Headers {
  if (precondition === 'absent') return { 'if-none-match': '*' }
  return head === undefined ? {} : { 'if-match': `"${head.etag}"` }
}

function requireTarget(key: string, precondition: Precondition, head: ObjectHead | undefined): void {
  if (precondition === 'absent' && head !== undefined) throw refusalOf(precondition, false)
  if (precondition !== 'absent' && head === undefined) throw refusalOf(precondition, true)
  if (typeof precondition !== 'string' && head !== undefined && !precondition.includes(versionOf(key, head.etag)))
    throw refusalOf(precondition, false)
}

function refusalOf(precondition: Precondition, isGone: boolean): Failure {
  if (precondition === 'absent') return new Failure('already-exists', 'A file or folder of this name is already there')
  if (isGone) return new Failure('not-found', 'There is no such file or folder')
  return new Failure('changed-meanwhile', 'The file was changed since it was opened')
}

/** Refuses another file than that of a version. */
export function requireSame(head: ObjectHead, version: string | undefined): void {
  if (version !== undefined && head.etag !== etagIn(version))
    throw new Failure('changed-meanwhile', 'The file was changed meanwhile')
}
