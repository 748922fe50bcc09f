/** Every reason for which the product refuses a request. `http/failures.ts` on the server gives each its status. */
export const failureCodes = [
  'invalid',
  'unauthenticated',
  'wrong-credentials',
  'forbidden',
  'not-found',
  'not-allowed-here',
  'already-exists',
  'changed-meanwhile',
  'too-large',
  'unsupported-type',
  'unsupported-version',
  'wrong-offset',
  'checksum-mismatch',
  'locked',
  'download-withheld',
  'incomplete',
  'too-many-tries',
  'unavailable',
  'no-space',
  'no-preview',
  'not-installed',
  'internal',
] as const

export type FailureCode = (typeof failureCodes)[number]

/** The body of a refusal for clients that accept JSON. */
export interface Problem {
  code: FailureCode
  message: string
  /** One of a few words, where clients say it in their own; and the name that it is about. */
  reason?: string
  name?: string
}
